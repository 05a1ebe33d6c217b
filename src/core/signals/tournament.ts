// Owns the kind `tournament`: a group's candidates compared by a verifier, each rollout's score by
// its wins. Deciding: ../tournament.ts; schedules: ../schedules.
import * as z from "zod";
import type { Classes } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema, missingRules, type Spec, scheduleFault } from "../contract/spec.ts";
import { ApiError, type ItemErrorCode } from "../faults/errors.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { isProbe } from "../judges/questions.ts";
import { isUnparsed } from "../judges/readings.ts";
import { type AskedQuestion, commonFault, outcomesOf } from "../tournament/asked-questions.ts";
import { attribution, furtherShowings } from "../tournament/attribution.ts";
import {
  baseRewards,
  type Decision,
  decide,
  type Gap,
  gapsIn,
  type Selection,
  select,
  tally,
} from "../tournament/decide.ts";
import { jammers } from "../tournament/jamming.ts";
import { positionFlipRate } from "../tournament/metrics.ts";
import type { Outcome, Schedule } from "../tournament/schedule.ts";
import { SCHEDULES } from "../tournament/schedules/table.ts";
import type { About, PlanResult, Signal } from "./signal.ts";
import { valued, without } from "./signal-value.ts";

const SCHEMA = z.strictObject({
  judge: JudgeSchema.omit({ schedule: true }).prefault({}),
  schedule: JudgeSchema.shape.schedule,
  score: z
    .enum(["win_rate", "top1", "wins"])
    .default("win_rate")
    .meta({ description: "as `reward` of a spec without signals" }),
});

export interface TournamentSettings {
  judge: Omit<Spec["judge"], "schedule">;
  schedule: Spec["judge"]["schedule"];
  score: Spec["reward"];
}

const judgeOf = ({ judge, schedule }: TournamentSettings): Spec["judge"] => ({ ...judge, schedule });

export const tournament: Signal<TournamentSettings> = {
  kind: "tournament",
  schema: SCHEMA,
  relative: true,
  canonical(settings) {
    const { judge, schedule: given, score } = settings as unknown as z.output<typeof SCHEMA>;
    const { schedule, ...rest } = canonicalJudge({ ...judge, schedule: given });
    return { judge: rest, schedule, score };
  },
  fault(settings) {
    const message = scheduleFault(judgeOf(settings));
    return message === null ? null : { path: ["schedule"], message };
  },
  judge: judgeOf,
  facts: () => [],
  range: ({ score }, n) => [0, score === "wins" ? Math.max(0, n - 1) : 1],
  open(group, settings, about) {
    const { score } = settings;
    const judge = judgeOf(settings);
    const { seed } = about;
    const schedule = openSchedule(group, judge, seed);
    return {
      next(seen) {
        const planned = schedule.next(outcomesOf(seen));
        const wave = planned.length > 0 || seen.length === 0 ? planned : furtherShowings(group, seen, { judge, seed });
        return wave.map((showing) => ({ to: "chat", preset: judge.prompt, ...showing }));
      },
      result: (seen) => resultOf(group, judge, score, about, seen),
    };
  },
};

function openSchedule({ keys, index, classes }: PreparedGroup, judge: Spec["judge"], seed: number): Schedule {
  try {
    return SCHEDULES[judge.schedule]({ keys, judge, seed });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = `${classes.members.length} different candidates, at most list_candidates_max = ${LIMITS.list_candidates_max}${instead("list_candidates_max")}`;
    throw new ApiError(error.code, error.message, { errors: [{ path: `groups[${index}].rollouts`, message }] });
  }
}

/**
 * Decide, count, score, select: the same for the same readings whatever order they came in (api.md,
 * "Scoring a group", steps 4 to 6).
 */
function resultOf(
  prepared: PreparedGroup,
  judge: Spec["judge"],
  score: Spec["reward"],
  { seed, judgeable }: About,
  all: readonly AskedQuestion[],
): PlanResult {
  const { classes, keys, group } = prepared;
  const asked = all.filter(({ question }) => !isProbe(question));
  const questions = asked.map(({ question }) => question);
  const outcomes = outcomesOf(asked);
  const { unparsed, min_decided } = missingRules(judge);
  const decision = decide(keys.length, judge.mode, questions, outcomes, unparsed);
  const jamming = jammers(keys.length, asked);
  const jams = classes.classOf.map((own) => own !== null && jamming.has(own));
  const { blamed } = attribution(prepared.texts, all);
  const refused = classes.classOf.map((own) => own !== null && blamed.has(own));
  const isOut = (r: number) => (judgeable && jams[r] === true) || refused[r] === true;
  const remaining: Classes = { ...classes, classOf: classes.classOf.map((own, r) => (isOut(r) ? null : own)) };
  const tallies = tally(remaining, decision);
  const gaps = gapsIn(remaining.classOf, tallies, min_decided, spoilt(remaining, decision, jams));
  const base = baseRewards(score, remaining.classOf, tallies, gaps);
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
      selection: informedSelection(keys, remaining, decision, wins, outcomes, seed),
      position_flip_rate: positionFlipRate(questions, outcomes),
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
  if (rivals > 1 && !outcomes.some(({ winner }) => winner !== null)) return { selected: null, tied: [] };
  return select(wins, classes, decision, keys, seed);
}

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
