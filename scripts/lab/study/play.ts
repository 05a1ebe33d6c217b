// Owns one list asked one way: the product's own contest against a simulated verifier, and how near
// its order comes to the pass rates.
import type { Showing } from "../../../src/core/judges/questions.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { kendallTauB } from "../../../src/core/math/stats.ts";
import { isGraded } from "../../../src/core/tournament/asking-pairs.ts";
import { Contest } from "../../../src/core/tournament/contest.ts";
import { type Decision, decide } from "../../../src/core/tournament/decide.ts";
import { gradesOf, type Outcome } from "../../../src/core/tournament/outcome.ts";
import { type Outcomes, strengthsOf } from "../../../src/core/tournament/schedule.ts";
import { earnedOf } from "../../../src/core/tournament/scores.ts";
import type { StudyList } from "./lists.ts";
import type { Verifier } from "./verifier-model.ts";
import type { Way } from "./ways.ts";

export interface Played {
  problem: string;
  generations: number;
  /** null where all are equal by the order reached. */
  tau: number | null;
  /** Chance that one drawn from those at the top has the highest pass rate. */
  top: number;
}

const outcomesIn =
  ({ pairs, shares }: Decision): Outcomes =>
  (i, j) =>
    pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null);

/** Asks until the contest is over. */
export function play(list: StudyList, verifier: Verifier, { judge, score }: Way, seed: number): Played {
  const n = list.qualities.length;
  // Where the best stands must not be told by the seeded orders.
  const keys = list.qualities.map((_, i) => hashText("candidate", list.problem, seed, i));
  const contest = new Contest({ keys, judge, seed });
  const graded = isGraded(judge);
  const showings: Showing[] = [];
  const outcomes: Outcome[] = [];
  let decision = decide(n, "pairwise", showings, outcomes, { graded, complete: false });
  for (;;) {
    const grades = showings.map(() => [] as (readonly number[])[]);
    for (const one of outcomes) grades[one.question]?.push(gradesOf(one, showings[one.question]?.shown ?? []));
    const answered = showings.map((showing, question) => ({ showing, grades: grades[question] ?? [] }));
    const wave = contest.next({ answered, outcomes: outcomesIn(decision), tokens: 0 });
    if (wave.length === 0) break;
    for (const showing of wave) outcomes.push(...answersTo(showing, showings.push(showing) - 1, verifier, graded));
    decision = decide(n, "pairwise", showings, outcomes, { graded, complete: false });
  }
  return { problem: list.problem, generations: outcomes.length, ...near(decision, list, score, graded) };
}

function answersTo(showing: Showing, question: number, verifier: Verifier, graded: boolean): Outcome[] {
  const [a, b] = showing.shown as [number, number];
  const first = showing.first_sample ?? 0;
  return Array.from({ length: showing.samples }, (_, k): Outcome => {
    const { soft, hard } = verifier(a, b, first + k);
    const winner = hard === 1 ? a : b;
    return { question, state: "parsed", winner, ...(graded && { grades: [soft, 1 - soft] }) };
  });
}

function near(decision: Decision, { qualities }: StudyList, score: Way["score"], graded: boolean) {
  const n = qualities.length;
  const all = Array.from({ length: n }, (_, i) => i);
  const pairs = all.flatMap((i) => all.slice(i + 1).map((j) => [i, j]));
  const own =
    score === "points"
      ? earnedOf({ classOf: all }, decision)
      : strengthsOf(n, pairs, outcomesIn(decision), graded).theta;
  const rounded = own.map((value) => Number(value.toFixed(9)));
  const most = Math.max(...rounded);
  const tops = all.filter((i) => rounded[i] === most);
  const best = Math.max(...qualities);
  return {
    tau: kendallTauB(rounded, [...qualities]).tau,
    top: tops.filter((i) => qualities[i] === best).length / tops.length,
  };
}
