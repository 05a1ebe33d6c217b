// One list asked one way: the product's own run against a simulated verifier, and how near its order comes to
// the pass rates.
import { firstSampleOf } from "../../src/core/asking/purpose.ts";
import type { Presentation } from "../../src/core/asking/questions.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { kendallTauB } from "../../src/core/math/tau-b.ts";
import { tally } from "../../src/core/tournament/decide.ts";
import type { Decision } from "../../src/core/tournament/decision.ts";
import { outcomesIn } from "../../src/core/tournament/decision.ts";
import { isGraded } from "../../src/core/tournament/pair-questions.ts";
import { strengthsOf } from "../../src/core/tournament/schedules/schedule.ts";
import type { Scoreboard } from "../../src/core/tournament/score.ts";
import { SCORES } from "../../src/core/tournament/score-table.ts";
import { earnedOf } from "../../src/core/tournament/scores.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";
import type { StudyList } from "./lists.ts";
import { playRun, type SampleOutcome } from "./played-run.ts";
import type { Verifier } from "./verifier-model.ts";
import type { Way } from "./ways.ts";

/** How near an order comes to the pass rates. */
export interface Reached {
  /** null where all are equal by the order reached. */
  tau: number | null;
  /**
   * Chance that one drawn from those at the top has the highest pass rate; null where somebody has
   * no score.
   */
  top: number | null;
}

export interface Played extends Reached {
  problem: string;
  generations: number;
  /** Prompts and answers. */
  tokens: number;
  /** Tokens of the answers alone, where a verifier reported them. */
  completion_tokens?: number;
  /** Rounds of questions that waited for each other; 0 where it was not counted. */
  waves: number;
  /** By the score's name, of a way that is reported under each. */
  scores?: Readonly<Record<string, Reached>>;
}

/** Tokens of one generation that shows `shown` candidates. */
type TokensOf = (shown: number) => number;

/** Asks until the run is over. */
export function play(list: StudyList, verifier: Verifier, way: Way, seed: number, tokensOf: TokensOf): Played {
  const { judge, score, everyScore } = way;
  const n = list.qualities.length;
  // The seeded orders must not reveal the place of the best.
  const keys = list.qualities.map((_, i) => hashText("candidate", list.problem, seed, i));
  const graded = isGraded(judge);
  const run = new TournamentRun({ keys, judge, seed });
  const { outcomes, decision, waves } = playRun(run, n, (showing) => answersTo(showing, verifier, graded));
  const scoreboard = scoreboardOf(n, run, decision, graded);
  // Every score but those that need a verifier's own scores has a value of each.
  const reached = (name: string) => near((SCORES[name]?.valuesOf(scoreboard) ?? []) as readonly number[], list);
  return {
    ...{ problem: list.problem, generations: outcomes.length, waves: waves.length },
    tokens: waves.flat().reduce((sum, { shown, samples }) => sum + samples * tokensOf(shown.length), 0),
    ...reached(score),
    ...(everyScore === true && { scores: Object.fromEntries(COMPARED_SCORES.map((name) => [name, reached(name)])) }),
  };
}

/** An order of a list that is drawn, the same for the same seed, without questions. */
export function playedByLot(list: StudyList, seed: number): Played {
  const drawn = list.qualities.map((_, i) => createRandom(hashText("random", list.problem, seed, i))());
  return { problem: list.problem, generations: 0, tokens: 0, waves: 0, ...near(drawn, list) };
}

/** All but `mean_score`, which needs a verifier that gives scores. */
export const COMPARED_SCORES = Object.keys(SCORES).filter((name) => SCORES[name]?.needsScores !== true);

/** The simulated verifier's answers to a question. */
export function answersTo(showing: Presentation, verifier: Verifier, graded: boolean): SampleOutcome[] {
  const { shown, samples } = showing;
  const first_sample = firstSampleOf(showing);
  return Array.from({ length: samples }, (_, k): SampleOutcome => {
    const state = "parsed";
    if (shown.length > 2) return { state, winner: verifier.best(shown, first_sample + k) };
    const [a, b] = shown as [number, number];
    const { soft, hard, unread } = verifier.pair(a, b, first_sample + k);
    if (unread === true) return { state: "unparsed", winner: null };
    return { state, winner: hard === 1 ? a : b, ...(graded && { grades: [soft, 1 - soft] }) };
  });
}

/** The scoreboard of n different, well-formed candidates. */
function scoreboardOf(n: number, run: TournamentRun, decision: Decision, graded: boolean): Scoreboard {
  const all = Array.from({ length: n }, (_, i) => i);
  const classes = { classOf: all, members: all.map((i) => [i]) };
  return {
    tallies: tally(classes, decision),
    judged: all.map(() => true),
    earned: earnedOf(classes, decision),
    strengths: () => strengthsIn(n, decision, graded),
    places: run.places(outcomesIn(decision)) ?? null,
    marks: [],
  };
}

/** Strengths of n candidates, as the score `strength` has them. */
export function strengthsIn(n: number, decision: Decision, graded: boolean): readonly number[] {
  const pairs = Array.from({ length: n }, (_, i) => i).flatMap((i, _, all) => all.slice(i + 1).map((j) => [i, j]));
  return strengthsOf(n, pairs, outcomesIn(decision), graded).theta;
}

/** @param values by which candidates are ordered, one each */
export function near(values: readonly number[], { qualities }: StudyList): Reached {
  const rounded = values.map((value) => Number(value.toFixed(9)));
  const max = Math.max(...rounded);
  const tops = [...rounded.keys()].filter((i) => rounded[i] === max);
  const best = Math.max(...qualities);
  return {
    tau: kendallTauB(rounded, [...qualities]).tau,
    top: tops.filter((i) => qualities[i] === best).length / tops.length,
  };
}
