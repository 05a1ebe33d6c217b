// Converts a scored group to relevance scores and a ranking. Pure: does no I/O.

import { type ContentKey, compareKeys } from "../../../core/candidate/classes.ts";
import type { GroupResult, RolloutResult } from "../../../core/contract/group-reply.ts";
import type { ItemErrorCode } from "../../../core/faults/errors.ts";
import { verdictIn, winnerOf } from "../../../core/judges/verdicts.ts";
import { hashText } from "../../../core/math/random.ts";
import { compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import { formOf } from "../../../core/reward/spec-forms.ts";
import type { VerdictRow } from "../../../ports/log-entry.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { rewardRange, shareOf } from "./sample-score.ts";
import { requireChoice, unjudged } from "./unjudged.ts";

/**
 * The function that gives a rollout's score in 0..1, or null if the rollout could not be judged. Candidates
 * are ranked by the spec's reward, or in the flat form by its tournament alone, normalized by its range (for
 * `wins`, the number of opponents).
 * @param raw the function returns the reward without normalization
 */
export function relevanceIn(spec: Spec, size: number, raw: boolean): (rollout: RolloutResult) => number | null {
  if (raw) return ({ reward }) => reward;
  const { ranked_by } = formOf(spec);
  const compiled = compileSpec(spec, Math.max(2, size));
  const [bottom, top] = compiled.signals.find(({ name }) => name === ranked_by)?.range ?? rewardRange(compiled);
  return ({ reward, components }) => {
    const value = ranked_by === null ? reward : (components[ranked_by] ?? null);
    return value === null ? null : shareOf(value, [bottom, top]);
  };
}

/**
 * The scores of all rollouts of a group. Throws `Unjudged` if a score is missing, because clients read scores
 * by position, or if the verifier preferred no candidate.
 */
export function relevances(scored: ScoredRequest, spec: Spec, raw: boolean, group = 0): number[] {
  const { rollouts } = scored.reply.groups[group] as GroupResult;
  const scores = rollouts.map(relevanceIn(spec, rollouts.length, raw));
  if (scores.includes(null)) throw unjudged(scored, group);
  requireChoice(scored, group);
  return scores as number[];
}

/**
 * Errors that are caused by a candidate itself, so that they recur on a retry and do not affect other
 * candidates. All other errors are caused by the infrastructure or the request.
 */
const OF_THE_TEXT: ReadonlySet<ItemErrorCode> = new Set([
  ...(["context_exceeded", "content_filtered", "verifier_rejected", "unparsed", "too_long"] as const),
  ...(["no_steps", "rubric_undecided", "no_answer", "rules_undecided"] as const),
  ...(["abstained", "unbounded"] as const),
]);

/** The score of each candidate of a group, or the reason why it has none. */
export interface Relevances {
  /** The scores in the order of the candidates; null after an infrastructure failure. */
  scores: (number | null)[];
  /** Error codes of candidates that caused their own failure. They rank last, with the lowest score. */
  last: Map<number, ItemErrorCode>;
  /** Error codes of candidates without a score because of an infrastructure failure. */
  missing: Map<number, ItemErrorCode>;
}

/** The scores of a group. Throws `Unjudged` if no candidate was judged, or the verifier preferred none. */
export function completed(scored: ScoredRequest, spec: Spec, raw: boolean, group = 0): Relevances {
  const { rollouts, verifier } = scored.reply.groups[group] as GroupResult;
  const relevance = relevanceIn(spec, rollouts.length, raw);
  const scores = rollouts.map(
    (rollout) => relevance(rollout) ?? (verifier.failed === 0 ? decidedShare(rollout, spec, raw) : null),
  );
  if (scores.every((score) => score === null)) throw unjudged(scored, group);
  requireChoice(scored, group);
  const lowest = Math.min(0, ...scores.flatMap((score) => score ?? []));
  const [last, missing] = [new Map<number, ItemErrorCode>(), new Map<number, ItemErrorCode>()];
  for (const [i, { error }] of rollouts.entries()) {
    if (scores[i] !== null) continue;
    const code = error ?? "verifier_bad_reply";
    if (OF_THE_TEXT.has(code)) {
      last.set(i, code);
      scores[i] = lowest;
    } else missing.set(i, code);
  }
  return { scores, last, missing };
}

/**
 * The share of decided pairs that a candidate won although its other pairs were unreadable, so that one
 * unreadable candidate does not cost the others their scores. Null if no pair was decided.
 */
function decidedShare({ error, wins, losses, ties }: RolloutResult, spec: Spec, raw: boolean): number | null {
  const decided = wins + losses + ties;
  const counts = !raw && spec.signals[formOf(spec).ranked_by ?? ""]?.score === "win_rate";
  return counts && error === "partial" && decided > 0 ? (wins + ties / 2) / decided : null;
}

/** Inputs for breaking ties: the documents' texts, the query, and the spec's seed. */
interface TieBreak {
  texts: readonly string[];
  question: string;
  seed: number;
  verdicts: readonly VerdictRow[];
}

/**
 * Indices of the scored documents, best first. Ties are broken by wins against the other tied documents, then
 * by a seeded hash of the content, so that only identical documents keep their input order. Documents without
 * a score are omitted.
 */
export function ranking(group: GroupResult, scores: readonly (number | null)[], tie: TieBreak): number[] {
  const first = group.rollouts.map(({ duplicate_of }, i) => duplicate_of ?? i);
  const known = scores.flatMap((score, i) => (score === null ? [] : [i]));
  const scoreOf = (i: number) => scores[i] as number;
  const shared = new Map<number, number[]>();
  for (const i of known) shared.set(scoreOf(i), [...(shared.get(scoreOf(i)) ?? []), i]);
  const tied = [...shared.values()].filter((indices) => indices.length > 1);
  if (tied.length === 0) return known.sort((a, b) => scoreOf(b) - scoreOf(a));

  const margins = verdictMargins(tie.verdicts);
  const wins = new Map<number, number>();
  const keys = new Map<number, ContentKey>();
  for (const indices of tied) {
    const rivals = [...new Set(indices.map((i) => first[i] as number))];
    for (const i of rivals) {
      wins.set(i, rivals.filter((j) => (margins.get(pair(i, j)) ?? 0) > 0).length);
      keys.set(i, hashText("rank", tie.seed, tie.question, tie.texts[i] as string));
    }
  }
  const tieOrder = (a: number, b: number) => {
    const [x, y] = [first[a] as number, first[b] as number];
    const headToHead = (wins.get(y) as number) - (wins.get(x) as number);
    return headToHead || compareKeys(keys.get(x) as ContentKey, keys.get(y) as ContentKey) || a - b;
  };
  return known.sort((a, b) => scoreOf(b) - scoreOf(a) || tieOrder(a, b));
}

const pair = (winner: number, loser: number) => `${winner}>${loser}`;

/** For each ordered pair of documents: the number of verdicts for the first minus those for the second. */
function verdictMargins(verdicts: readonly VerdictRow[]): Map<string, number> {
  const margins = new Map<string, number>();
  const add = (key: string, delta: number) => margins.set(key, (margins.get(key) ?? 0) + delta);
  for (const verdict of verdicts) {
    const place = winnerOf(verdictIn(verdict));
    const winner = place === null ? undefined : verdict.order[place];
    if (winner === undefined) continue;
    for (const loser of verdict.order) {
      if (loser === winner) continue;
      add(pair(winner, loser), 1);
      add(pair(loser, winner), -1);
    }
  }
  return margins;
}
