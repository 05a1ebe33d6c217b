// Owns deciding: from outcomes to pair results, win counts, base rewards, ranks and the selected
// candidate. Knows no verifier and no text.

import type { ContentKey } from "../candidate/classes.ts";
import { type Classes, compareKeys } from "../candidate/classes.ts";
import type { MissingRules } from "../contract/spec.ts";
import type { Showing } from "../judges/questions.ts";
import { hashText } from "../math/random.ts";
import type { Outcome } from "./schedule.ts";

export type PairResult = "win" | "loss" | "tie" | "undecided";

export interface Decision {
  /** `pairs[i][j]` is the result of class i against class j; the diagonal is a tie. */
  pairs: PairResult[][];
  /** Verdicts for each class when the group was judged as a list, else null. */
  votes: number[] | null;
}

/**
 * One rollout's score against every opponent of its group; wins + losses + ties + undecided = n -
 * 1.
 */
export interface Tally {
  wins: number;
  losses: number;
  ties: number;
  undecided: number;
  /** Losses for want of a well-formed candidate, against well-formed opponents. */
  forfeits: number;
}

const OPPOSITE: Record<PairResult, PairResult> = { win: "loss", loss: "win", tie: "tie", undecided: "undecided" };

/**
 * Decides every pair of classes (api.md, "Decide"). Pairwise: the majority of a pair's parsed
 * verdicts; equal = tie. Listwise: i beats j when it has more verdicts. A pair (or list) without a
 * parsed verdict is undecided; with `unparsed: "tie"` it is a tie where anything came back at all.
 * The order of `outcomes` does not matter.
 */
export function decide(
  classCount: number,
  mode: "pairwise" | "listwise",
  questions: readonly Showing[],
  outcomes: readonly Outcome[],
  unparsed: MissingRules["unparsed"] = "undecided",
): Decision {
  const decides = ({ state }: Outcome) => state === "parsed" || (state === "unparsed" && unparsed === "tie");
  const pairs = Array.from({ length: classCount }, (_, i) =>
    Array.from({ length: classCount }, (_, j): PairResult => (i === j ? "tie" : "undecided")),
  );
  const set = (i: number, j: number, result: PairResult) => {
    (pairs[i] as PairResult[])[j] = result;
    (pairs[j] as PairResult[])[i] = OPPOSITE[result];
  };
  if (mode === "listwise") return { pairs, votes: decideList(classCount, outcomes, outcomes.some(decides), set) };

  // margin[i * n + j], i < j: verdicts for i less verdicts for j; decided: a generation came back
  // that says something of the pair
  const margin = new Int32Array(classCount * classCount);
  const decided = new Uint8Array(classCount * classCount);
  for (const outcome of outcomes) {
    if (!decides(outcome)) continue;
    const { question, winner } = outcome;
    const [a, b] = (questions[question] as Showing).shown as [number, number];
    const cell = Math.min(a, b) * classCount + Math.max(a, b);
    decided[cell] = 1;
    if (winner !== null) margin[cell] = (margin[cell] as number) + (winner === Math.min(a, b) ? 1 : -1);
  }
  for (let i = 0; i < classCount; i++) {
    for (let j = i + 1; j < classCount; j++) {
      const cell = i * classCount + j;
      if (decided[cell] === 1) set(i, j, resultOf(margin[cell] as number));
    }
  }
  return { pairs, votes: null };
}

function resultOf(margin: number): PairResult {
  if (margin === 0) return "tie";
  return margin > 0 ? "win" : "loss";
}

function decideList(
  classCount: number,
  outcomes: readonly Outcome[],
  decided: boolean,
  set: (i: number, j: number, result: PairResult) => void,
): number[] {
  const votes = new Array<number>(classCount).fill(0);
  for (const { winner } of outcomes) if (winner !== null) votes[winner] = (votes[winner] as number) + 1;
  if (decided) {
    for (let i = 0; i < classCount; i++) {
      for (let j = i + 1; j < classCount; j++) set(i, j, resultOf((votes[i] as number) - (votes[j] as number)));
    }
  }
  return votes;
}

/**
 * Counts each rollout against every other of its group: duplicates tie, a malformed one loses to
 * well-formed ones and ties with malformed ones.
 */
export function tally({ classOf }: Classes, decision: Decision): Tally[] {
  return classOf.map((own, r) => {
    const counts: Tally = { wins: 0, losses: 0, ties: 0, undecided: 0, forfeits: 0 };
    classOf.forEach((other, s) => {
      if (s === r) return;
      if (own === null || other === null) {
        if (own === other) counts.ties++;
        else if (own === null) {
          counts.losses++;
          counts.forfeits++;
        } else counts.wins++;
        return;
      }
      const result = (decision.pairs[own] as PairResult[])[other] as PairResult;
      if (result === "win") counts.wins++;
      else if (result === "loss") counts.losses++;
      else if (result === "tie") counts.ties++;
      else counts.undecided++;
    });
    return counts;
  });
}

/**
 * Why a rollout has no base reward: nothing was decided for it, or less than min_decided of what
 * was asked.
 */
export type Gap = "unjudged" | "partial";

/**
 * The gap of each rollout, null where it has a base reward. A malformed rollout has none: it is not
 * judged. `unjudged`: no pair at all, or all pairs that needed the verifier are undecided (forfeits
 * and ties with duplicates alone are no judgement). `partial`: less than
 * `minDecided` of its pairs with rivals are decided; `excused` pairs, undecided through the rival's
 * doing, are not among them.
 */
export function gapsIn(
  classOf: Classes["classOf"],
  tallies: readonly Tally[],
  minDecided = 1,
  excused: readonly number[] = [],
): (Gap | null)[] {
  return tallies.map(({ wins, losses, ties, undecided }, r) => {
    if (wins + losses + ties === 0) return "unjudged";
    if (undecided === 0) return null;
    const asked = rivals(classOf, r);
    if (undecided === asked) return "unjudged";
    // The margin is for shares such as 0.7 of 10, which are no exact doubles.
    return asked - undecided + 1e-9 < minDecided * (asked - (excused[r] ?? 0)) ? "partial" : null;
  });
}

/**
 * Base rewards (api.md, "Reward"): `win_rate` = (wins + ties/2) / decided pairs, in [0, 1]; `top1`
 * = 1/k for the k that share the most wins, else 0; `wins` = wins. A malformed rollout has 0. null
 * where there is a gap.
 */
export function baseRewards(
  rule: "win_rate" | "top1" | "wins",
  classOf: Classes["classOf"],
  tallies: readonly Tally[],
  gaps: readonly (Gap | null)[] = gapsIn(classOf, tallies),
): (number | null)[] {
  const eligible = (r: number) => classOf[r] !== null && gaps[r] === null;
  const most = Math.max(...tallies.filter((_, r) => eligible(r)).map(({ wins }) => wins));
  const sharing = tallies.filter(({ wins }, r) => eligible(r) && wins === most).length;
  return tallies.map(({ wins, losses, ties }, r) => {
    if (gaps[r] !== null) return null;
    if (classOf[r] === null) return 0;
    if (rule === "wins") return wins;
    if (rule === "top1") return wins === most ? 1 / sharing : 0;
    return (wins + ties / 2) / (wins + losses + ties);
  });
}

/**
 * Opponents that a rollout can only be compared with by the verifier: well-formed ones of other
 * classes.
 */
function rivals(classOf: Classes["classOf"], r: number): number {
  const own = classOf[r];
  return own === null ? 0 : classOf.filter((other) => other !== null && other !== own).length;
}

/** Competition ranks by wins, 1 = most; equal wins share a rank; null where `wins` is null. */
export function ranks(wins: readonly (number | null)[]): (number | null)[] {
  return wins.map((own) => (own === null ? null : 1 + wins.filter((other) => other !== null && other > own).length));
}

export interface Selection {
  selected: number | null;
  /** Rollouts that share the most wins, ascending. */
  tied: number[];
}

/**
 * The rollout with the most wins. Ties are broken by wins among the tied, then by a seeded hash of
 * the content, never by position; among identical candidates the first stands for all. None is
 * selected where `wins` holds no number.
 */
export function select(
  wins: readonly (number | null)[],
  { classOf }: Classes,
  decision: Decision,
  keys: readonly ContentKey[],
  seed: number,
): Selection {
  const known = wins.flatMap((count, r) => (count === null || classOf[r] === null ? [] : [r]));
  if (known.length === 0) return { selected: null, tied: [] };
  const most = Math.max(...known.map((r) => wins[r] as number));
  const tied = known.filter((r) => wins[r] === most);

  const tiedClasses = [...new Set(tied.map((r) => classOf[r] as number))];
  const headToHead = tiedClasses.map(
    (i) => tiedClasses.filter((j) => (decision.pairs[i] as PairResult[])[j] === "win").length,
  );
  const best = Math.max(...headToHead);
  const [winner] = tiedClasses
    .filter((_, k) => headToHead[k] === best)
    .map((i) => ({ i, key: hashText("select", seed, ...(keys[i] as ContentKey)) }))
    .sort((a, b) => compareKeys(a.key, b.key));
  const selected = tied.find((r) => classOf[r] === winner?.i);
  return { selected: selected ?? null, tied };
}
