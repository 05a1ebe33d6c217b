// The fields that all samples of a room have in common, and the check that a new sample agrees with them.

import { canonicalJson } from "../../core/contract/canonical-json.ts";
import type { Rollout } from "../../core/contract/group.ts";
import { ApiError } from "../../core/faults/errors.ts";
import type { GatheredSample, GroupFacts, NamedMembers } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

/** The common fields, taken from the room's first sample. */
export const subjectOf = ({ room, prompt, spec, facts, run_id, step, key_name }: GatheredSample): RoomSubject => ({
  ...{ room, prompt, spec, run_id, step, key_name },
  ...(facts && { facts }),
});

/** The fields that every request to a named group repeats. */
export const namedSubjectOf = ({ group_id, language, size, ...shared }: NamedMembers): RoomSubject => {
  const { room, prompt, spec, facts, run_id, step, key_name } = shared;
  return {
    ...{ room, prompt, spec, run_id, step, key_name, named: { group_id, language, size } },
    ...(facts && { facts }),
  };
};

/** The fields that may differ between the samples of a room. */
export const contentOf = ({ rollout, language, unshown, log_step }: GatheredSample): MemberContent => ({
  rollout,
  language,
  ...(unshown !== undefined && { unshown }),
  ...(log_step !== undefined && { log_step }),
});

/**
 * Throws ApiError `facts_disagree` with the names of the facts if a sample contradicts earlier samples.
 * @param subject null for the first sample
 */
export function requireSameFacts(subject: RoomSubject | null, { facts = {} }: Pick<GatheredSample, "facts">): void {
  if (subject !== null) requireAlike(subject.facts ?? {}, facts);
}

/** Like `requireSameFacts`, but for all common fields of a named group, including its size. */
export function requireSameSubject(known: RoomSubject | null, given: RoomSubject): void {
  const describe = ({ prompt, spec, run_id, step, facts, named }: RoomSubject) => {
    const { language, size } = named ?? {};
    return { prompt, language, spec, run_id, step, size, ...facts };
  };
  if (known !== null) requireAlike(describe(known), describe(given));
}

const isAlike = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);

function requireAlike(known: GroupFacts, given: GroupFacts): void {
  const names = [...new Set([...Object.keys(known), ...Object.keys(given)])].sort();
  disagree(names.filter((name) => !isAlike(known[name], given[name])));
}

/** Throws ApiError `facts_disagree` if a different rollout is already stored at a rollout's position. */
export function requireSameRollouts(known: readonly (Rollout | undefined)[], given: readonly Rollout[]): void {
  disagree(
    given.flatMap((rollout, i) => (known[i] === undefined || isAlike(known[i], rollout) ? [] : [`rollouts[${i}]`])),
  );
}

function disagree(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const message = "differs from the earlier samples of the group";
  const detail = `The samples of a group must have the same values for: ${paths.join(", ")}.`;
  throw new ApiError("facts_disagree", detail, { errors: paths.map((path) => ({ path, message })) });
}

/** Whether a sample was rejected because it contradicts earlier samples, so that its group must not wait. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "facts_disagree";

/**
 * The common fields with which to judge a group. Throws ApiError `facts_disagree` if the group needs all its
 * samples but one was rejected.
 */
export function subjectFor({ whole_only, refused }: GroupState, subject: RoomSubject | null): RoomSubject {
  if (!whole_only || refused.length === 0) return subject as RoomSubject;
  const others = `${refused.length} of the group's samples had different facts and were refused`;
  throw new ApiError("facts_disagree", `${others}, so on_incomplete leaves the whole group without rewards.`);
}
