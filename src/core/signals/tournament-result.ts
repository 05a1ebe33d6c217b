// Owns what a tournament's readings come to: results, scores, the selected candidate. Asking:
// tournament.ts.
import type { Classes } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { missingRules } from "../contract/spec.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isProbe } from "../judges/questions.ts";
import { isUnparsed } from "../judges/readings.ts";
import type { Weighing } from "../judges/verdicts.ts";
import { mean } from "../math/stats.ts";
import { type AskedQuestion, commonFault, outcomesOf } from "../tournament/asked-questions.ts";
import { isGraded, samplesOf } from "../tournament/asking-pairs.ts";
import { attribution } from "../tournament/attribution.ts";
import type { Contest, Seen } from "../tournament/contest.ts";
import { type Decision, decide, type Gap, gapsIn, type Selection, select, tally } from "../tournament/decide.ts";
import { jammers } from "../tournament/jamming.ts";
import { measuresOf } from "../tournament/measures.ts";
import { positionFlipRate } from "../tournament/metrics.ts";
import { gradesOf, type Outcome } from "../tournament/outcome.ts";
import { type Outcomes, strengthsOf as strengthsOfPairs } from "../tournament/schedule.ts";
import type { Standing } from "../tournament/score.ts";
import { SCORES } from "../tournament/score-table.ts";
import { baseRewards, earnedOf } from "../tournament/scores.ts";
import type { About, ContestTold, Judge, PlanResult } from "./signal.ts";
import { valued, without } from "./signal-value.ts";

/** The outcomes of a decision, as schedules see them. */
const outcomesIn =
  ({ pairs, shares }: Decision): Outcomes =>
  (i, j) =>
    pairs[i]?.[j] === "unasked" ? undefined : (shares[i]?.[j] ?? null);

const weighingOf = ({ vote, prompt, strength, strength_scale }: Judge): Weighing => ({
  ...{ vote, strength, strength_scale, ranks: presetNamed(prompt) !== null },
});

/** What a contest is told of the answers so far. */
export function seenBy(all: readonly AskedQuestion[], classCount: number, judge: Judge): Seen {
  const asked = all.filter(({ question }) => !isProbe(question));
  const graded = isGraded(judge);
  const outcomes = outcomesOf(asked, weighingOf(judge));
  const questions = asked.map(({ question }) => question);
  const { unparsed } = missingRules(judge);
  const rules = { unparsed, graded, complete: false };
  const grades = questions.map(() => [] as (readonly number[])[]);
  for (const one of outcomes) {
    if (one.state === "parsed") grades[one.question]?.push(gradesOf(one, questions[one.question]?.shown ?? []));
  }
  return {
    answered: questions.map((showing, q) => ({ showing, grades: grades[q] as (readonly number[])[] })),
    outcomes: outcomesIn(decide(classCount, judge.mode, questions, outcomes, rules)),
    tokens: all.reduce((sum, { readings }) => sum + readings.reduce((own, one) => own + one.completion_tokens, 0), 0),
  };
}

/** Whether the reply tells more than that of a spec from before schedules, votes and scores were many. */
function tellsMore(judge: Judge, score: string): boolean {
  const { schedule, budget, samples, both_orders, mode } = judge;
  const plain = schedule === (mode === "pairwise" ? "round_robin" : "single_list") && budget === undefined;
  const asked = !isGraded(judge) && typeof samples === "number" && both_orders !== "when_close";
  return !(plain && asked && ["win_rate", "top1", "wins"].includes(score));
}

/**
 * Decide, count, score, select: the same for the same readings whatever order they came in (api.md,
 * "Scoring a group", steps 4 to 6).
 */
export function resultOf(
  prepared: PreparedGroup,
  { judge, score, contest }: { judge: Judge; score: string; contest: Contest },
  { seed, judgeable }: About,
  all: readonly AskedQuestion[],
): PlanResult {
  const { classes, keys, group } = prepared;
  const asked = all.filter(({ question }) => !isProbe(question));
  const questions = asked.map(({ question }) => question);
  const graded = isGraded(judge);
  const outcomes = outcomesOf(asked, weighingOf(judge));
  const { unparsed, min_decided } = missingRules(judge);
  const { complete } = contest;
  const decision = decide(keys.length, judge.mode, questions, outcomes, { unparsed, graded, complete });
  const jamming = jammers(keys.length, asked);
  const jams = classes.classOf.map((own) => own !== null && jamming.has(own));
  const { blamed } = attribution(prepared.texts, all);
  const refused = classes.classOf.map((own) => own !== null && blamed.has(own));
  const isOut = (r: number) => (judgeable && jams[r] === true) || refused[r] === true;
  const remaining: Classes = { ...classes, classOf: classes.classOf.map((own, r) => (isOut(r) ? null : own)) };
  const tallies = tally(remaining, decision);
  const gaps = gapsIn(remaining.classOf, tallies, min_decided, spoilt(remaining, decision, jams));
  const strengths = lazy(() => strengthsOf(keys.length, decision, graded, new Set(remaining.classOf)));
  const ofRollouts = <T>(values: readonly T[], none: T) =>
    remaining.classOf.map((own) => (own === null ? none : (values[own] as T)));
  const places = contest.places(outcomesIn(decision));
  const standing: Standing = {
    tallies,
    judged: remaining.classOf.map((own, r) => own !== null && gaps[r] === null),
    earned: earnedOf(remaining, decision),
    strengths: () => ofRollouts(strengths().theta, Number.NEGATIVE_INFINITY),
    places: places === undefined ? null : ofRollouts(places, -1),
    marks: marksOf(asked, remaining),
  };
  const base = baseRewards(score, standing, remaining.classOf, gaps);
  const more = tellsMore(judge, score);
  const points = more ? pointsOf(score, standing, base) : null;
  const wins = tallies.map((counts, r) => (base[r] === null ? null : counts.wins));
  const silent = unparsedByClass(asked, classes.members.length);
  const faultAt = (r: number) => faultOf(gaps[r] ?? null, classes.classOf[r] ?? null, asked, group.rollouts.length);
  const ofClass = <T>(values: readonly T[] | null, none: T) =>
    classes.classOf.map((own) => (own === null || values === null ? none : (values[own] as T)));
  return {
    scores: base.map((value, r) => (value === null ? without(faultAt(r)) : valued(value))),
    summary: {
      tallies,
      wins,
      votes: ofClass<number | null>(decision.votes, null),
      unparsed: ofClass(silent, 0),
      jams,
      refused,
      selection: informedSelection(keys, remaining, decision, points ?? wins, outcomes, seed),
      position_flip_rate: positionFlipRate(questions, outcomes),
      ...(points !== null && {
        points,
        measures: measuresOf(decision, outcomes, strengths()),
        told: toldOf(contest, asked, judge),
      }),
    },
  };
}

/**
 * No verdict that names anybody among several classes is no information: nothing is selected,
 * rather than a candidate by its hash.
 */
function informedSelection(
  keys: PreparedGroup["keys"],
  classes: Classes,
  decision: Decision,
  wins: readonly (number | null)[],
  outcomes: readonly Outcome[],
  seed: number,
): Selection {
  const rivals = new Set(classes.classOf.filter((own) => own !== null)).size;
  if (rivals > 1 && !outcomes.some(namesAnybody)) return { selected: null, tied: [] };
  return select(wins, classes, decision, keys, seed);
}

const namesAnybody = ({ winner, grades = [] }: Outcome): boolean =>
  winner !== null || grades.some((one) => one !== grades[0]);

/**
 * For each rollout: its undecided pairs with another's jamming candidate, which are not its own
 * doing.
 */
function spoilt({ classOf }: Classes, { pairs }: Decision, jams: readonly boolean[]): number[] {
  return classOf.map((own, r) => {
    const by = (other: number | null, s: number) =>
      jams[s] === true && other !== null && pairs[own as number]?.[other] === "undecided";
    return own === null || jams[r] ? 0 : classOf.filter(by).length;
  });
}

function faultOf(
  gap: Gap | null,
  classIndex: number | null,
  asked: readonly AskedQuestion[],
  groupSize: number,
): ItemErrorCode {
  if (groupSize === 1 || classIndex === null) return "group_too_small";
  return gap === "partial" ? "partial" : (commonFault(asked, classIndex) ?? "verifier_bad_reply");
}

function unparsedByClass(asked: readonly AskedQuestion[], classCount: number): number[] {
  const counts = new Array<number>(classCount).fill(0);
  for (const { question, readings } of asked) {
    const unparsed = readings.filter(isUnparsed).length;
    for (const member of question.shown) counts[member] = (counts[member] as number) + unparsed;
  }
  return counts;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Of the classes that are judged; others have no games. */
function strengthsOf(n: number, decision: Decision, graded: boolean, judged: ReadonlySet<number | null>) {
  const all = Array.from({ length: n }, (_, i) => i).filter((i) => judged.has(i));
  const pairs = all.flatMap((i) => all.filter((j) => j > i).map((j) => [i, j]));
  return strengthsOfPairs(n, pairs, outcomesIn(decision), graded);
}

/** On the scale of wins against all n - 1 others, whatever the number of pairs asked; null without a base. */
function pointsOf(score: string, standing: Standing, base: readonly (number | null)[]): (number | null)[] {
  const own = SCORES[score]?.points?.(standing) ?? standing.earned.map((mean, _, { length }) => mean * (length - 1));
  // Sums of floats in another order differ beyond the twelfth digit; a tie must not hang on that.
  return own.map((points, r) => (base[r] === null ? null : Number(points.toFixed(9))));
}

/** Each rollout's mean of the scores that verdicts gave it, over 10; null where none gave any. */
function marksOf(asked: readonly AskedQuestion[], { classOf }: Classes): number[] | null {
  const given = new Map<number, number[]>();
  for (const { question, readings } of asked) {
    for (const { verdict } of readings) {
      if (verdict?.kind !== "scores") continue;
      question.shown.forEach((i, place) => {
        given.set(i, [...(given.get(i) ?? []), Math.min(1, Math.max(0, (verdict.scores[place] as number) / 10))]);
      });
    }
  }
  if (given.size === 0) return null;
  return classOf.map((own) => mean(given.get(own ?? -1) ?? [0]));
}

/** Which schedule asked, and the generations that were not needed or not paid. */
function toldOf({ schedule, unpaid }: Contest, asked: readonly AskedQuestion[], judge: Judge): ContestTold {
  const { max, confidence } = samplesOf(judge);
  const first = asked.filter(({ question }) => question.reask !== true).map(({ question }) => question);
  const shown = new Set(first.map(({ shown }) => shown.join()));
  const sure = confidence === null ? 0 : shown.size * max - first.reduce((sum, { samples }) => sum + samples, 0);
  return { schedule, unpaid, sure };
}
