// Decides pairs: outcomes summed up exactly, and what they come to.

import { gradesOf, type Outcome } from "../asking/outcome.ts";
import type { Presentation } from "../asking/questions.ts";
import type { MissingRules } from "../contract/spec.ts";
import { LIMITS } from "../faults/limits.ts";
import type { Outcomes, ShownFirst } from "./schedules/schedule.ts";

export type PairResult = "win" | "loss" | "tie" | "undecided" | "unasked";

export interface Decision {
  /** `pairs[i][j]` is the result of class i against class j; the diagonal is a tie. */
  pairs: PairResult[][];
  /** The share that i earned of its pair with j, in [0, 1]; null where it is undecided. */
  shares: (number | null)[][];
  /** Verdicts for each class when the group was judged as a list, else null. */
  votes: number[] | null;
  /** By the order in which two were shown; `shownFirst`. */
  orders: Orders;
}

/** At i * n + j: sums over questions that showed i and then j, and no other. */
interface Orders {
  /** Verdicts that could be read. */
  verdicts: Uint32Array;
  /** The grades of i less those of j, in steps. */
  margins: Float64Array;
}

/** The share of verdicts for i where it was shown before j; null where none was read. */
export function shownFirst(
  { pairs, orders: { verdicts, margins } }: Decision,
  i: number,
  j: number,
): ShownFirst | null {
  const cell = i * pairs.length + j;
  const count = verdicts[cell] as number;
  return count === 0 ? null : { count, mean: (1 + (margins[cell] as number) / (count * STEPS)) / 2 };
}

/** The outcomes of a decision, as schedules see them. */
export function outcomesIn(decision: Decision): Outcomes {
  const { pairs, shares } = decision;
  const outcomes = (i: number, j: number) => (pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null));
  return Object.assign(outcomes, { inOrder: (i: number, j: number) => shownFirst(decision, i, j) });
}

interface DecisionRules {
  unparsed: MissingRules["unparsed"];
  /** A pair's outcome is the mean of what its verdicts gave, not their majority. */
  graded: boolean;
  /** Every pair was to be asked: one that was not is undecided. */
  complete: boolean;
  /** Questions, by index, that do not make a pair an asked one. */
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
 * Grades are summed in whole steps, so that no sum depends on its order and a tie is a tie: places in a list
 * of k are parts of 2 (k - 1), which divide a step's inverse for every list that is shown.
 */
const FINE = 2 ** 20;
const PARTS = Array.from({ length: LIMITS.list_candidates_max - 1 }, (_, i) => i + 1).reduce(leastMultiple, 1);
const STEPS = FINE * PARTS;

/** The least multiple of two whole numbers. */
function leastMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}

/** The grade of one of `shown` candidates, in steps; of two in steps of 2^-20. */
const inSteps = (grade: number, shown: number): number =>
  shown === 2 ? Math.round(grade * FINE) * PARTS : Math.round(grade * STEPS);

/**
 * Decides every pair of classes (design, "Decide") by the verdicts of the questions that showed
 * both: i beats j when more of them went to i than to j, equal is a tie; graded, by the mean of
 * what they gave, (1 + g_i - g_j) / 2. A pair without a parsed verdict is undecided; with
 * `unparsed: "tie"` it is a tie where anything came back at all. The order of `outcomes` does not
 * matter.
 */
export function decide(
  classCount: number,
  mode: "pairwise" | "listwise",
  questions: readonly Presentation[],
  outcomes: readonly Outcome[],
  rules: Partial<DecisionRules> = {},
): Decision {
  const sums = new Sums(classCount, mode, rules);
  const { unasked, complete } = { ...PLAIN, ...rules };
  for (const [q, { shown }] of questions.entries()) if (!unasked.has(q)) sums.ask(shown);
  for (const outcome of outcomes) sums.add(outcome, (questions[outcome.question] as Presentation).shown);
  return sums.decision(complete);
}

/** Sums of verdicts' grades: more may be added, and it may be decided at any time. */
export class Sums {
  private readonly classCount: number;
  private readonly rules: DecisionRules;
  /** For i < j: what verdicts gave i less what they gave j, in steps; and how many there are. */
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

  /** By what was added so far; true only until more is. */
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
        // The same to the last bit whichever of the two has the lower number; together they are 1.
        (shares[i] as (number | null)[])[j] = (1 + lead) / 2;
        (shares[j] as (number | null)[])[i] = (1 - lead) / 2;
      }
    }
    return { pairs, shares, votes, orders };
  }
}
