// A group as the run log holds it: values, counts and verdicts, no texts. What of a scored group can be put
// together again from that.

import type { ReadingStatus } from "../../asking/readings.ts";
import type { Valued } from "../../asking/signal-value.ts";
import { distinctCandidates, type PreparedGroup } from "../../candidate/prepare.ts";
import type { Group } from "../../contract/requests.ts";
import type { ItemErrorCode } from "../../faults/errors.ts";
import type { Verdict } from "../../judges/verdicts.ts";

export interface LoggedRollout {
  reward: number | null;
  format_ok: boolean;
  jams_judge: boolean;
  duplicate_of: number | null;
  length_tokens: number | null;
  /** SHA-256 hex; null when the rollout has no candidate. */
  candidate_hash: string | null;
}

/** One generation as logged, as far as its meaning goes. */
export interface LoggedVerdict {
  /** The signal whose question it answers: `base` in specs without signals. */
  signal: string;
  /** The question's number in its group. */
  comparison: number;
  sample: number;
  /** Rollout indices in the order shown (letter A first): each class by its first member. */
  order: readonly number[];
  letter: string | null;
  scores: readonly number[] | null;
  /** A verdict that neither a letter nor scores can say; null for those. */
  verdict: Verdict | null;
  /** Parser status; null when it failed. `cut_by_length`: by finish_reason, also of a repetition. */
  status: ReadingStatus | null;
  error: ItemErrorCode | null;
}

export interface LoggedGroup {
  /** `<request_id>.<group index>`. */
  group_id: string;
  spec_hash: string;
  step: number | null;
  rollouts: readonly LoggedRollout[];
  /**
   * Each signal's values by name, one a rollout; of a spec without signals base, format, overlong.
   */
  values: Readonly<Record<string, readonly Valued[]>>;
  /** By signal, rollouts whose candidate its verifier refused; in a spec without signals absent. */
  refused: Readonly<Record<string, readonly number[]>>;
  /** Ordered by comparison, then by sample; empty where they were not read. */
  verdicts: readonly LoggedVerdict[];
}

/** A logged rollout's fields in place of its text. */
export interface ReplayedRollout {
  /** Its index in the whole group. */
  index: number;
  length_tokens?: number;
  /** By signal. */
  values: Readonly<Record<string, Valued>>;
}

/**
 * Whether each candidate was among those compared. A breach that is known before the verifier is
 * asked keeps a rollout out; one that its verdicts brought (`judgeable`, `fits`) does not, and
 * leaves traces: it jams, has a duplicate, or was shown.
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
 * The group as it was prepared, hashes in place of texts: the same classes in the same order. Seeded orders
 * depend on texts and are not the same.
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
