// Decides pairs from verdicts. Sums are exact, so the result does not depend on the order of verdicts.

import { gradesOf, type Outcome } from "../asking/outcome.ts";
import type { Presentation } from "../asking/questions.ts";
import type { MissingRules } from "../contract/judge-settings.ts";
import { LIMITS } from "../faults/limits.ts";
import type { Outcomes, ShownFirst } from "./schedules/schedule.ts";

export type PairResult = "win" | "loss" | "tie" | "undecided" | "unasked";

export interface Decision {
  /** `pairs[i][j]` is the result of class i against class j; the diagonal is a tie. */
  pairs: PairResult[][];
  /** Share of the outcome that class i gets in its pair with j, in [0, 1]; null if the pair is undecided. */
  shares: (number | null)[][];
  /** Number of verdicts that favour each class if the group was judged as a list, else null. */
  votes: number[] | null;
  /** Sums per presentation order, read by `shownFirst`. */
  orders: Orders;
}

/** Sums at index i * n + j, over questions that showed exactly i and then j. */
interface Orders {
  /** Number of readable verdicts. */
  verdicts: Uint32Array;
  /** Sum of the grades of i minus the grades of j, in units of 1 / `STEPS`. */
  margins: Float64Array;
}

/** Mean outcome of i over the questions that showed i before j; null if no verdict could be read. */
export function shownFirst(
  { pairs, orders: { verdicts, margins } }: Decision,
  i: number,
  j: number,
): ShownFirst | null {
  const cell = i * pairs.length + j;
  const count = verdicts[cell] as number;
  return count === 0 ? null : { count, mean: (1 + (margins[cell] as number) / (count * STEPS)) / 2 };
}

/** The outcomes of a decision in the form that schedules read. */
export function outcomesIn(decision: Decision): Outcomes {
  const { pairs, shares } = decision;
  const outcomes = (i: number, j: number) => (pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null));
  return Object.assign(outcomes, { inOrder: (i: number, j: number) => shownFirst(decision, i, j) });
}

interface DecisionRules {
  unparsed: MissingRules["unparsed"];
  /** Whether a pair's outcome is the mean of its verdicts' grades instead of their majority. */
  graded: boolean;
  /** Whether the schedule asks every pair, so that a pair without answers is undecided, not unasked. */
  complete: boolean;
  /** Indices of questions that do not mark their pairs as asked. */
  unasked: ReadonlySet<number>;
}

const PLAIN: DecisionRules = { unparsed: "undecided", graded: false, complete: true, unasked: new Set() };

const OPPOSITE: Record<PairResult, PairResult> = {
  win: "loss",
  loss: "win",
  tie: "tie",
  undecided: "undecided",
  unasked: "unasked",
};

/**
 * Grades are summed as integers, in units of 1 / `STEPS`, so that the sums do not depend on the order of
 * addition and ties are exact. Ranks in a list of k are multiples of 1 / (2 (k - 1)), which is a whole number
 * of units for every allowed k. Decision models, whose lists may be longer, return shares and no ranks.
 */
const FINE = 2 ** 20;
const PARTS = Array.from({ length: LIMITS.list_candidates_max - 1 }, (_, i) => i + 1).reduce(leastMultiple, 1);
const STEPS = FINE * PARTS;

/** Least common multiple of two integers. */
function leastMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}

/** Converts a grade to units of 1 / `STEPS`; grades in pairs are rounded to 2^-20. */
const inSteps = (grade: number, shown: number): number =>
  shown === 2 ? Math.round(grade * FINE) * PARTS : Math.round(grade * STEPS);

/**
 * Decides every pair of classes (design, "Decide") from the verdicts of the questions that showed both. i
 * beats j if more verdicts favour i; equal numbers are a tie. With `graded`, the mean of (1 + g_i - g_j) / 2
 * decides. A pair without a parsed verdict is undecided; with `unparsed: "tie"`, it is a tie if at least one
 * answer came back. The order of `outcomes` does not matter.
 */
export function decide(
  classCount: number,
  mode: "pairwise" | "listwise",
  questions: readonly Pick<Presentation, "shown">[],
  outcomes: readonly Outcome[],
  rules: Partial<DecisionRules> = {},
): Decision {
  const sums = new Sums(classCount, mode, rules);
  const { unasked, complete } = { ...PLAIN, ...rules };
  for (const [q, { shown }] of questions.entries()) if (!unasked.has(q)) sums.ask(shown);
  for (const outcome of outcomes) sums.add(outcome, (questions[outcome.question] as Pick<Presentation, "shown">).shown);
  return sums.decision(complete);
}

/** Running sums of the verdicts' grades: verdicts can be added and pairs decided at any time. */
export class Sums {
  private readonly classCount: number;
  private readonly rules: DecisionRules;
  /**
   * For i < j: the grades of i minus the grades of j, in units of 1 / `STEPS`, and the number of verdicts.
   */
  private readonly margin: Float64Array;
  private readonly verdicts: Uint32Array;
  private readonly orders: Orders;
  private readonly asked: Uint8Array;
  private readonly votes: number[] | null;

  constructor(classCount: number, mode: "pairwise" | "listwise", rules: Partial<DecisionRules> = {}) {
    const cells = classCount * classCount;
    this.classCount = classCount;
    this.rules = { ...PLAIN, ...rules };
    this.margin = new Float64Array(cells);
    this.verdicts = new Uint32Array(cells);
    this.orders = { verdicts: new Uint32Array(cells), margins: new Float64Array(cells) };
    this.asked = new Uint8Array(cells);
    this.votes = mode === "listwise" ? new Array<number>(classCount).fill(0) : null;
  }

  ask(shown: readonly number[]): void {
    for (const i of shown) for (const j of shown) this.asked[i * this.classCount + j] = 1;
  }

  add(outcome: Outcome, shown: readonly number[]): void {
    const { classCount, margin, verdicts, orders, votes } = this;
    if (votes !== null && outcome.winner !== null) votes[outcome.winner] = (votes[outcome.winner] as number) + 1;
    if (outcome.state !== "parsed" && (outcome.state !== "unparsed" || this.rules.unparsed !== "tie")) return;
    const grades = gradesOf(outcome, shown).map((grade) => inSteps(grade, shown.length));
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

  /** The decision from the verdicts added so far. */
  decision(complete: boolean): Decision {
    const { classCount, margin, verdicts, orders, asked, votes } = this;
    const square = <T>(diagonal: T, other: (cell: number) => T): T[][] =>
      Array.from({ length: classCount }, (_, i) =>
        Array.from({ length: classCount }, (_, j) => (i === j ? diagonal : other(i * classCount + j))),
      );
    const missing = (cell: number): PairResult => (asked[cell] === 1 || complete ? "undecided" : "unasked");
    const pairs = square<PairResult>("tie", missing);
    const shares = square<number | null>(0.5, () => null);
    for (let i = 0; i < classCount; i++) {
      for (let j = i + 1; j < classCount; j++) {
        const cell = i * classCount + j;
        const count = verdicts[cell] as number;
        if (count === 0) continue;
        const cellMargin = margin[cell] as number;
        const result = cellMargin === 0 ? "tie" : cellMargin > 0 ? "win" : "loss";
        const lead = this.rules.graded ? cellMargin / (count * STEPS) : Math.sign(cellMargin);
        (pairs[i] as PairResult[])[j] = result;
        (pairs[j] as PairResult[])[i] = OPPOSITE[result];
        // Symmetric to the last bit: swapping the two classes swaps their shares. The two shares add up to 1.
        (shares[i] as (number | null)[])[j] = (1 + lead) / 2;
        (shares[j] as (number | null)[])[i] = (1 - lead) / 2;
      }
    }
    return { pairs, shares, votes, orders };
  }
}
