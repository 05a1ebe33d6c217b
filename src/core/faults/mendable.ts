// Decides whether repeating a request can produce a reward that its reply lacks.

import type { ItemErrorCode } from "./errors.ts";

/**
 * Whether repeating the request may help. `after_failures` means only if some questions failed, because
 * parsed answers would give the same result again.
 */
const MAY_COME: Readonly<Record<ItemErrorCode, boolean | "after_failures">> = {
  verifier_unavailable: true,
  verifier_overloaded: true,
  context_exceeded: false,
  content_filtered: false,
  // Only the operator can fix this. Until then, every request fails the same way.
  verifier_misconfigured: false,
  verifier_rejected: false,
  verifier_bad_reply: true,
  judge_read_less: false,
  logprobs_unavailable: false,
  // The next request checks the server again.
  scalar_backend_saturated: true,
  other_model: true,
  deadline: true,
  cancelled: true,
  unparsed: false,
  partial: "after_failures",
  sandbox_failed: true,
  checker_failed: true,
  facts_required: false,
  no_tests: false,
  too_long: false,
  no_steps: false,
  no_number: false,
  rubric_undecided: "after_failures",
  invalid_reference: false,
  rules_undecided: false,
  no_answer: false,
  no_majority: "after_failures",
  label_free_over: false,
  abstained: false,
  unbounded: false,
  group_too_small: false,
};

/**
 * Whether repeating the request may produce a reward instead of this code.
 * @param failed whether a question of the group failed
 */
export const mayCome = (code: ItemErrorCode, failed: boolean): boolean =>
  MAY_COME[code] === "after_failures" ? failed : MAY_COME[code];

/** Whether repeating the request may produce a reward that this reply lacks. */
export const isMendable = (reply: {
  groups: readonly { rollouts: readonly { retryable?: boolean | undefined }[] }[];
}): boolean => reply.groups.some(({ rollouts }) => rollouts.some(({ retryable }) => retryable === true));
