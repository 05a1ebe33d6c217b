// A group as stored in the run log (values, counts and verdicts, but no prompts or rollouts), and the
// prepared group that can be rebuilt from the stored form.

import type { ReadingStatus } from "../../asking/readings.ts";
import type { Valued } from "../../asking/signal-value.ts";
import { distinctCandidates, type PreparedGroup } from "../../candidate/prepare.ts";
import type { Group } from "../../contract/group.ts";
import type { ItemErrorCode } from "../../faults/errors.ts";
import type { Verdict } from "../../judges/verdicts.ts";

export interface LoggedRollout {
  reward: number | null;
  format_ok: boolean;
  jams_judge: boolean;
  duplicate_of: number | null;
  length_tokens: number | null;
  /** SHA-256 in hex; null if the rollout has no candidate. */
  candidate_hash: string | null;
}

/** The logged verdict of one generation. */
export interface LoggedVerdict {
  /** The signal that asked the question: `base` in specs without signals. */
  signal: string;
  /** Number of the question within its group. */
  comparison: number;
  sample: number;
  /** Rollout indices in the order shown (letter A first); each class is represented by its first member. */
  order: readonly number[];
  letter: string | null;
  scores: readonly number[] | null;
  /** The verdict if it is neither a letter nor scores, else null. */
  verdict: Verdict | null;
  /**
   * Parser status; null if the generation failed. `cut_by_length` is derived from finish_reason and also
   * covers repetition.
   */
  status: ReadingStatus | null;
  error: ItemErrorCode | null;
}

export interface LoggedGroup {
  /** `<request_id>.<group index>`. */
  group_id: string;
  spec_hash: string;
  step: number | null;
  rollouts: readonly LoggedRollout[];
  /** Each signal's values by name, one per rollout; for a spec without signals: base, format, overlong. */
  values: Readonly<Record<string, readonly Valued[]>>;
  /** Per signal: the rollouts whose candidate the verifier refused; empty for a spec without signals. */
  refused: Readonly<Record<string, readonly number[]>>;
  /** Ordered by comparison, then by sample; empty if the verdicts were not loaded. */
  verdicts: readonly LoggedVerdict[];
}

/** Fields of a logged rollout, used in place of its text. */
export interface ReplayedRollout {
  /** Index in the whole group. */
  index: number;
  length_tokens?: number;
  /** Values by signal name. */
  values: Readonly<Record<string, Valued>>;
}

/**
 * Whether each candidate was among those compared. A format breach found before judging excludes a rollout. A
 * breach found by verdicts (`judgeable`, `fits`) does not; such a rollout is recognisable because it jams the
 * judge, has a duplicate, or was shown.
 */
function comparedOf({ rollouts, verdicts }: LoggedGroup, asking: ReadonlySet<string>): boolean[] {
  const shown = new Set(verdicts.flatMap(({ order, signal }) => (asking.has(signal) ? order : [])));
  const copied = new Set(rollouts.flatMap(({ duplicate_of }) => duplicate_of ?? []));
  return rollouts.map(
    ({ format_ok, jams_judge, duplicate_of }, r) =>
      format_ok || jams_judge || duplicate_of !== null || copied.has(r) || shown.has(r),
  );
}

/**
 * Rebuilds the prepared group with hashes in place of the candidates: the same classes in the same order.
 * Seeded orders depend on the candidates and therefore differ.
 * @param asking signals whose questions showed candidates
 */
export function preparedFrom(logged: LoggedGroup, asking: ReadonlySet<string>): PreparedGroup {
  const { rollouts, values, group_id } = logged;
  const replayed = rollouts.map(({ length_tokens }, index): ReplayedRollout => {
    const rolloutValues = Object.entries(values).map(([name, column]) => [name, column[index] as Valued]);
    return { index, ...(length_tokens !== null && { length_tokens }), values: Object.fromEntries(rolloutValues) };
  });
  const candidates = rollouts.map(({ candidate_hash }) => candidate_hash);
  const formatOk = comparedOf(logged, asking);
  return {
    group: { prompt: group_id, rollouts: replayed, logged } as unknown as Group,
    index: 0,
    group_id,
    question: group_id,
    language: null,
    candidates,
    formatOk,
    formats: {},
    overlong: false,
    tooLong: rollouts.map(() => false),
    ...distinctCandidates(group_id, candidates, formatOk),
    warnings: [],
  };
}
