// What the samples of a room have in common, and whether one more says the same of it. Pure.
import { canonicalJson } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import type { GatheredSample } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

/** What a room's first sample says of all. */
export const subjectOf = ({ room, prompt, spec, facts, run_id, step, key_name }: GatheredSample): RoomSubject => ({
  ...{ room, prompt, spec, run_id, step, key_name },
  ...(facts && { facts }),
});

/** What is its alone. */
export const contentOf = ({ rollout, language, unshown, log_step }: GatheredSample): MemberContent => ({
  rollout,
  language,
  ...(unshown !== undefined && { unshown }),
  ...(log_step !== undefined && { log_step }),
});

/**
 * Throws ApiError `facts_disagree`, naming the facts, for a sample that says another thing of its
 * group than those before it. `subject` null: nobody came before.
 */
export function requireSameFacts(subject: RoomSubject | null, { facts = {} }: Pick<GatheredSample, "facts">): void {
  if (subject === null) return;
  const { facts: known = {} } = subject;
  const names = [...new Set([...Object.keys(known), ...Object.keys(facts)])].sort();
  const other = names.filter((name) => canonicalJson(known[name] ?? null) !== canonicalJson(facts[name] ?? null));
  if (other.length === 0) return;
  const message = "another than that of the group's samples before it";
  throw new ApiError(
    "facts_disagree",
    `The samples of a group must agree on what they are scored by: ${other.join(", ")}.`,
    {
      errors: other.map((path) => ({ path, message })),
    },
  );
}

/** The sample disagrees with those before it, and will not come. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "facts_disagree";

/**
 * What its members are judged by. Throws what its refused sample was told, where all have to be
 * there.
 */
export function subjectFor({ whole_only, refused }: GroupState, subject: RoomSubject | null): RoomSubject {
  if (!whole_only || refused.length === 0) return subject as RoomSubject;
  const others = `${refused.length} of the group's samples said another thing of it and were refused`;
  throw new ApiError("facts_disagree", `${others}, and on_incomplete says that nobody has a reward then.`);
}
