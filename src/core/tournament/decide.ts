// Owns deciding: from outcomes to pair results, win counts, base rewards, ranks and the selected
// candidate. Knows no verifier and no text.

import type { ContentKey } from "../candidate/classes.ts";
import { type Classes, compareKeys } from "../candidate/classes.ts";
import type { MissingRules } from "../contract/spec.ts";
import type { Showing } from "../judges/questions.ts";
import { hashText } from "../math/random.ts";
import { gradesOf, type Outcome } from "./outcome.ts";

export type PairResult = "win" | "loss" | "tie" | "undecided" | "unasked";

/** Readable verdicts that showed one before another, and what they gave that one on average. */
export interface ShownFirst {
  count: number;
  /** In [0, 1]. */
  mean: number;
}

export interface Decision {
  /** `pairs[i][j]` is the result of class i against class j; the diagonal is a tie. */
  pairs: PairResult[][];
  /** What i earned of its pair with j, in [0, 1]; null where nothing was decided. */
  shares: (number | null)[][];
  /** Verdicts for each class when the group was judged as a list, else null. */
  votes: number[] | null;
  /** By the order in which two were shown; `shownFirst`. */
  orders: Orders;
}

/** At i * n + j: of the questions that showed i and then j, and nobody else. */
interface Orders {
  /** Verdicts that could be read. */
  verdicts: Uint32Array;
  /** What they gave i less what they gave j, in steps. */
  margins: Float64Array;
}

/** What verdicts gave i where it was shown before j; null where none was read. */
export function shownFirst(
  { pairs, orders: { verdicts, margins } }: Decision,
  i: number,
  j: number,
): ShownFirst | null {
  const cell = i * pairs.length + j;
  const count = verdicts[cell] as number;
  return count === 0 ? null : { count, mean: (1 + (margins[cell] as number) / (count * STEPS)) / 2 };
}

export interface DecisionRules {
  unparsed: MissingRules["unparsed"];
  /** A pair's outcome is the mean of what its verdicts gave, not their majority. */
  graded: boolean;
  /** Every pair was to be asked: one that was not is undecided. */
  complete: boolean;
}

const PLAIN: DecisionRules = { unparsed: "undecided", graded: false, complete: true };

/**
 * One rollout's score against every opponent of its group; wins + losses + ties + undecided +
 * unasked = n - 1.
 */
export interface Tally {
  wins: number;
  losses: number;
  ties: number;
  undecided: number;
  /** Pairs that the schedule or the budget left out. */
  unasked: number;
  /** Losses for want of a well-formed candidate, against well-formed opponents. */
  forfeits: number;
}

const OPPOSITE: Record<PairResult, PairResult> = {
  win: "loss",
  loss: "win",
  tie: "tie",
  undecided: "undecided",
  unasked: "unasked",
};

/** Grades are summed in whole steps of 2^-20, so that no sum hangs on its order. */
const STEPS = 2 ** 20;

/**
 * Decides every pair of classes (api.md, "Decide") by the verdicts of the questions that showed
 * both: i beats j when more of them went to i than to j, equal is a tie; graded, by the mean of
 * what they gave, (1 + g_i - g_j) / 2. A pair without a parsed verdict is undecided; with
 * `unparsed: "tie"` it is a tie where anything came back at all. The order of `outcomes` does not
 * matter.
 */
export function decide(
  classCount: number,
  mode: "pairwise" | "listwise",
  questions: readonly Showing[],
  outcomes: readonly Outcome[],
  rules: Partial<DecisionRules> = {},
): Decision {
  const { unparsed, graded, complete } = { ...PLAIN, ...rules };
  const cells = classCount * classCount;
  // For i < j: what verdicts gave i less what they gave j, in steps; and how many there are.
  const margin = new Float64Array(cells);
  const verdicts = new Uint32Array(cells);
  const orders: Orders = { verdicts: new Uint32Array(cells), margins: new Float64Array(cells) };
  const asked = new Uint8Array(cells);
  for (const { shown } of questions) for (const i of shown) for (const j of shown) asked[i * classCount + j] = 1;
  for (const outcome of outcomes) {
    if (outcome.state !== "parsed" && (outcome.state !== "unparsed" || unparsed !== "tie")) continue;
    const { shown } = questions[outcome.question] as Showing;
    const grades = gradesOf(outcome, shown).map((grade) => Math.round(grade * STEPS));
    if (shown.length === 2) {
      const cell = (shown[0] as number) * classCount + (shown[1] as number);
      orders.margins[cell] = (orders.margins[cell] as number) + (grades[0] as number) - (grades[1] as number);
      orders.verdicts[cell] = (orders.verdicts[cell] as number) + 1;
    }
    shown.forEach((i, a) => {
      shown.forEach((j, b) => {
        if (i >= j) return;
        const cell = i * classCount + j;
        margin[cell] = (margin[cell] as number) + (grades[a] as number) - (grades[b] as number);
        verdicts[cell] = (verdicts[cell] as number) + 1;
      });
    });
  }
  const square = <T>(own: T, other: (cell: number) => T): T[][] =>
    Array.from({ length: classCount }, (_, i) =>
      Array.from({ length: classCount }, (_, j) => (i === j ? own : other(i * classCount + j))),
    );
  const missing = (cell: number): PairResult => (asked[cell] === 1 || complete ? "undecided" : "unasked");
  const pairs = square<PairResult>("tie", missing);
  const shares = square<number | null>(0.5, () => null);
  for (let i = 0; i < classCount; i++) {
    for (let j = i + 1; j < classCount; j++) {
      const cell = i * classCount + j;
      const count = verdicts[cell] as number;
      if (count === 0) continue;
      const own = margin[cell] as number;
      const result = own === 0 ? "tie" : own > 0 ? "win" : "loss";
      const share = (1 + (graded ? own / (count * STEPS) : Math.sign(own))) / 2;
      (pairs[i] as PairResult[])[j] = result;
      (pairs[j] as PairResult[])[i] = OPPOSITE[result];
      (shares[i] as (number | null)[])[j] = share;
      (shares[j] as (number | null)[])[i] = 1 - share;
    }
  }
  return { pairs, shares, votes: mode === "listwise" ? votesFor(classCount, outcomes) : null, orders };
}

function votesFor(classCount: number, outcomes: readonly Outcome[]): number[] {
  const votes = new Array<number>(classCount).fill(0);
  for (const { winner } of outcomes) if (winner !== null) votes[winner] = (votes[winner] as number) + 1;
  return votes;
}

/**
 * Counts each rollout against every other of its group: duplicates tie, a malformed one loses to
 * well-formed ones and ties with malformed ones.
 */
export function tally({ classOf }: Classes, decision: Decision): Tally[] {
  return classOf.map((own, r) => {
    const counts: Tally = { wins: 0, losses: 0, ties: 0, undecided: 0, unasked: 0, forfeits: 0 };
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
      else if (result === "unasked") counts.unasked++;
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
  return tallies.map(({ wins, losses, ties, undecided, unasked }, r) => {
    if (wins + losses + ties === 0) return "unjudged";
    const among = rivals(classOf, r);
    const asked = among - unasked;
    if (undecided === asked && among > 0) return "unjudged";
    if (undecided === 0) return null;
    // The margin is for shares such as 0.7 of 10, which are no exact doubles.
    return asked - undecided + 1e-9 < minDecided * (asked - (excused[r] ?? 0)) ? "partial" : null;
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
