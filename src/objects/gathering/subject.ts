// The common fields of a room's samples, and whether another sample agrees with them. Pure.

import type { Rollout } from "../../core/contract/requests.ts";
import { canonicalJson } from "../../core/contract/spec.ts";
import { ApiError } from "../../core/faults/errors.ts";
import type { GatheredSample, GroupFacts, NamedMembers } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { MemberContent, RoomSubject } from "./room-store.ts";

/** The fields of a room's first sample that all share. */
export const subjectOf = ({ room, prompt, spec, facts, run_id, step, key_name }: GatheredSample): RoomSubject => ({
  ...{ room, prompt, spec, run_id, step, key_name },
  ...(facts && { facts }),
});

/** The fields that each request states of a group that its caller names. */
export const namedSubjectOf = ({ group_id, language, size, ...shared }: NamedMembers): RoomSubject => {
  const { room, prompt, spec, facts, run_id, step, key_name } = shared;
  return {
    ...{ room, prompt, spec, run_id, step, key_name, named: { group_id, language, size } },
    ...(facts && { facts }),
  };
};

/** What is its alone. */
export const contentOf = ({ rollout, language, unshown, log_step }: GatheredSample): MemberContent => ({
  rollout,
  language,
  ...(unshown !== undefined && { unshown }),
  ...(log_step !== undefined && { log_step }),
});

/**
 * Throws ApiError `facts_disagree`, naming the facts, for a sample that contradicts those of its group before
 * it. `subject` null: it is the first.
 */
export function requireSameFacts(subject: RoomSubject | null, { facts = {} }: Pick<GatheredSample, "facts">): void {
  if (subject !== null) requireAlike(subject.facts ?? {}, facts);
}

/** The same for all that is said of a group that its caller names, its size too. */
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

/** Throws ApiError `facts_disagree` unless each rollout is the one that its position has. */
export function requireSameRollouts(known: readonly (Rollout | undefined)[], given: readonly Rollout[]): void {
  disagree(
    given.flatMap((rollout, i) => (known[i] === undefined || isAlike(known[i], rollout) ? [] : [`rollouts[${i}]`])),
  );
}

function disagree(paths: readonly string[]): void {
  if (paths.length === 0) return;
  const message = "another than that of the group's samples before it";
  const detail = `The samples of a group must agree on what they are scored by: ${paths.join(", ")}.`;
  throw new ApiError("facts_disagree", detail, { errors: paths.map((path) => ({ path, message })) });
}

/** The sample disagrees with those before it, and will not come. */
export const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "facts_disagree";

/**
 * The subject that its members are judged by. Throws the refusal of its refused sample, where all have to be
 * there.
 */
export function subjectFor({ whole_only, refused }: GroupState, subject: RoomSubject | null): RoomSubject {
  if (!whole_only || refused.length === 0) return subject as RoomSubject;
  const others = `${refused.length} of the group's samples said another thing of it and were refused`;
  throw new ApiError("facts_disagree", `${others}, and on_incomplete says that nobody has a reward then.`);
}
