// Turns a tournament's readings into its result: decisions, scores and the selected candidate. Questions are
// asked by tournament.ts.

import { type AskedQuestion, commonFault, cutByDeadline, deciding } from "../asking/asked-questions.ts";
import type { Selection } from "../asking/comparison.ts";
import type { Outcome } from "../asking/outcome.ts";
import type { PlanResult } from "../asking/plan.ts";
import { isUnparsed } from "../asking/readings.ts";
import type { Judge, SignalContext } from "../asking/signal.ts";
import { valued, without } from "../asking/signal-value.ts";
import type { Classes } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { missingRules } from "../contract/judge-settings.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { scoreScale } from "../judges/score-scale.ts";
import { ranOut } from "./budget.ts";
import { type Gap, gapsIn, tally } from "./decide.ts";
import { type Decision, decide, outcomesIn } from "./decision.ts";
import { FOUND, jammers } from "./jamming.ts";
import { circlesIn, measuresOf } from "./measures.ts";
import { positionFlipRate } from "./metrics.ts";
import { isGraded } from "./pair-questions.ts";
import { againstReference } from "./reference-opponent.ts";
import { lazy, readBy } from "./run-so-far.ts";
import { scheduleReport } from "./schedule-report.ts";
import type { Scoreboard } from "./score.ts";
import { baseRewards, earnedOf } from "./scores.ts";
import { type Standing, select } from "./selection.ts";
import { marksOf, pointsOf, strengthsOfJudged } from "./tournament-points.ts";
import type { TournamentRun } from "./tournament-run.ts";

/**
 * Whether the reply includes the extended report. Specs that use only the oldest schedules, votes and scores
 * keep the original reply.
 */
function hasExtendedReport(judge: Judge, score: string): boolean {
  const { schedule, budget, samples, both_orders, mode } = judge;
  const named = schedule === (mode === "pairwise" ? "round_robin" : "single_list");
  const plain = named && budget === undefined;
  const once = both_orders !== "when_close";
  const asked = !isGraded(judge) && typeof samples === "number" && once;
  return !(plain && asked && ["win_rate", "top1", "wins"].includes(score));
}

/** Inputs for a group's result, including the classes that caused questions to be refused. */
export interface TournamentJudgement {
  judge: Judge;
  score: string;
  run: Pick<TournamentRun, "complete" | "ended" | "kind" | "places" | "unpaid">;
  atFault: ReadonlySet<number>;
  /** Class of the group's reference, set if every candidate met only the reference. */
  reference?: number;
}

/**
 * Decides, counts, scores and selects. Deterministic: the same readings give the same result in any order
 * (design, "Scoring a group", steps 4 to 6).
 */
export function resultOf(
  prepared: PreparedGroup,
  { judge, score, run, atFault, reference }: TournamentJudgement,
  { seed, judgeable }: Pick<SignalContext, "seed" | "judgeable">,
  all: readonly AskedQuestion[],
): PlanResult {
  const { classes, keys, group } = prepared;
  const asked = deciding(all);
  const { min_decided } = missingRules(judge);
  const { questions, outcomes, decision, cut } = decided(asked, judge, keys.length, run.complete);
  const jamming = jammers(keys.length, all, FOUND);
  const { jams, refused, remaining } = withoutThoseOut(classes, jamming, atFault, judgeable);
  const only =
    reference === undefined ? null : againstReference(remaining, decision, atFault.has(reference) ? null : reference);
  const tallies = only?.tallies ?? tally(remaining, decision);
  const gaps = only?.gaps ?? gapsIn(remaining.classOf, tallies, min_decided, lostToJammers(remaining, decision, jams));
  const playing = new Set([...remaining.classOf, reference ?? null]);
  const strengths = lazy(() => strengthsOfJudged(decision, isGraded(judge), playing));
  const ofRollouts = <T>(values: readonly T[], none: T) =>
    remaining.classOf.map((classIndex) => (classIndex === null ? none : (values[classIndex] as T)));
  const places = run.places(outcomesIn(decision));
  const scoreboard: Scoreboard = {
    tallies,
    judged: remaining.classOf.map((classIndex, r) => classIndex !== null && gaps[r] === null),
    earned: only?.earned ?? earnedOf(remaining, decision),
    strengths: () => ofRollouts(strengths().theta, Number.NEGATIVE_INFINITY),
    places: places === undefined ? null : ofRollouts(places, -1),
    marks: marksOf(asked, remaining, scoreScale(judge.prompt)),
  };
  const base = baseRewards(score, scoreboard, remaining.classOf, gaps);
  const more = hasExtendedReport(judge, score) || cut.size > 0;
  const wins = tallies.map((counts, r) => (base[r] === null ? null : counts.wins));
  const rivals = only === null ? classes.classOf.length - 1 : 1;
  const points = more ? pointsOf(score, scoreboard, base, rivals) : null;
  const values = scoreboard.places === null ? base : points;
  const standingOf = { decision, values, points: points ?? wins, unbeaten: unbeatenBefore(run), seed };
  const silent = unparsedByClass(asked, keys.length);
  const size = group.rollouts.length + (only === null ? 0 : 1);
  const faultAt = (r: number) => faultOf(gaps[r] ?? null, classes.classOf[r] ?? null, asked, size);
  const ofClass = <T>(values: readonly T[] | null, none: T) =>
    classes.classOf.map((classIndex) => (classIndex === null || values === null ? none : (values[classIndex] as T)));
  return {
    scores: base.map((value, r) => (value === null ? without(faultAt(r)) : valued(value))),
    summary: {
      tallies,
      wins,
      votes: ofClass<number | null>(decision.votes, null),
      unparsed: ofClass(silent, 0),
      jams,
      refused,
      selection: informedSelection(keys, remaining, outcomes, standingOf),
      position_flip_rate: positionFlipRate(questions, outcomes),
      circles: circlesIn(decision.pairs),
      ...(points !== null && {
        points,
        measures: measuresOf(decision, questions, outcomes),
        report: scheduleReport(all, { judge, score, scoreboard, unpaid: run.unpaid, cut: cut.size }),
      }),
    },
  };
}

/** Finals are complete if the schedule includes finals and ran to its end. */
const unbeatenBefore = ({ kind, ended }: TournamentJudgement["run"]): Standing["unbeaten"] =>
  kind.findsBest === true && ended ? "or_unmet" : "that_beat_it";

/** @param whole whether the schedule was meant to ask every pair */
function decided(asked: readonly AskedQuestion[], judge: Judge, classCount: number, whole: boolean) {
  const { questions, outcomes } = readBy(asked, judge);
  const { unparsed, min_decided } = missingRules(judge);
  // A spec that requires all comparisons cannot use a subset of them, so questions cut off by the deadline
  // stay undecided.
  const cut = min_decided < 1 ? cutByDeadline(asked) : new Set<number>();
  const unasked = new Set([...ranOut(asked, judge), ...cut]);
  const rules = { unparsed, graded: isGraded(judge), complete: whole && cut.size === 0, unasked };
  const decision = decide(classCount, judge.mode, questions, outcomes, rules);
  return { questions, outcomes, cut, decision };
}

/**
 * Marks rollouts that jam or are refused, and removes them from the classes: refused rollouts always, jamming
 * rollouts only if the spec requires judgeable candidates.
 */
function withoutThoseOut(
  classes: Classes,
  jamming: ReadonlySet<number>,
  atFault: ReadonlySet<number>,
  judgeable: boolean,
) {
  const jams = classes.classOf.map((classIndex) => classIndex !== null && jamming.has(classIndex));
  const refused = classes.classOf.map((classIndex) => classIndex !== null && atFault.has(classIndex));
  const isOut = (r: number) => (judgeable && jams[r] === true) || refused[r] === true;
  const remaining: Classes = {
    ...classes,
    classOf: classes.classOf.map((classIndex, r) => (isOut(r) ? null : classIndex)),
  };
  return { jams, refused, remaining };
}

/**
 * Selects a candidate, or none if no verdict distinguishes the classes; otherwise the tie-breaking hash alone
 * would decide.
 */
function informedSelection(
  keys: PreparedGroup["keys"],
  classes: Classes,
  outcomes: readonly Outcome[],
  criteria: Omit<Standing, "keys" | "classOf">,
): Selection {
  const rivals = new Set(classes.classOf.filter((classIndex) => classIndex !== null)).size;
  if (rivals > 1 && !outcomes.some(namesAnybody)) return { selected: null, tied: [] };
  return select({ ...criteria, keys, classOf: classes.classOf });
}

const namesAnybody = ({ winner, grades = [] }: Outcome): boolean =>
  winner !== null || grades.some((grade) => grade !== grades[0]);

/** Per rollout: number of pairs left undecided because the other rollout's candidate is a jammer. */
function lostToJammers({ classOf }: Classes, { pairs }: Decision, jams: readonly boolean[]): number[] {
  return classOf.map((classIndex, r) => {
    const isLostTo = (other: number | null, s: number) =>
      jams[s] === true && other !== null && pairs[classIndex as number]?.[other] === "undecided";
    return classIndex === null || jams[r] ? 0 : classOf.filter(isLostTo).length;
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
