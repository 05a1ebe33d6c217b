// Owns the kind `tournament`: a group's candidates compared by a verifier, each rollout's score by
// its wins. Schedules: ../tournament/schedules.

import * as z from "zod";
import { said } from "#said";
import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Presentation, Question } from "../asking/questions.ts";
import type { Signal } from "../asking/signal.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { type Covariates, CovariatesSchema, earnedBy } from "../contract/covariates.ts";
import { canonicalJudge, JudgeSchema, type Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { judgeAsked } from "../judges/asked-first.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { attribution } from "./attribution.ts";
import { FollowUpQuestions } from "./follow-up-questions.ts";
import { forecastOf } from "./forecast.ts";
import { judgeFault } from "./judge-fault.ts";
import { earlyGenerations, needsReference, ScheduleSchema, scheduleOf } from "./named-schedule.ts";
import { withReference } from "./reference-opponent.ts";
import { seenBy, standing } from "./run-so-far.ts";
import { ScoreSchema, scoreRange } from "./scores.ts";
import { resultOf } from "./tournament-result.ts";
import { TournamentRun } from "./tournament-run.ts";

const SCHEMA = z.strictObject({
  judge: JudgeSchema.prefault({}),
  schedule: ScheduleSchema,
  score: ScoreSchema.meta(said("as `reward` of a spec without signals")),
  covariates: CovariatesSchema.optional(),
});

export interface TournamentSettings {
  judge: Omit<Spec["judge"], "schedule">;
  schedule: Spec["judge"]["schedule"];
  score: Spec["reward"];
  covariates?: Covariates | undefined;
}

/** Scores that say of a rollout beside a reference what they say of it, whatever its neighbours. */
const OF_ONE_PAIR = ["win_rate", "wins", "net_win_rate", "soft"];

const judgeOf = ({ judge, schedule }: TournamentSettings): Spec["judge"] => ({ ...judge, schedule });

export const tournament: Signal<TournamentSettings> = {
  kind: "tournament",
  takesTooLong: () => true,
  schema: SCHEMA,
  relative: true,
  relativeWith: ({ schedule, score }) => !(needsReference(schedule) && OF_ONE_PAIR.includes(score)),
  canonical(settings) {
    const { judge, schedule: given, score, covariates } = settings as unknown as z.output<typeof SCHEMA>;
    const { schedule, ...rest } = canonicalJudge({ ...judge, schedule: given });
    return { judge: rest, schedule, score, ...(covariates && { covariates }) };
  },
  fault(settings) {
    const fault = judgeFault(judgeOf(settings), settings.score) ?? covariatesFault(settings);
    const ownPath = fault !== null && ["schedule", "score", "covariates"].includes(fault.path[0] as string);
    return fault === null || ownPath ? fault : { ...fault, path: ["judge", ...fault.path] };
  },
  judge: judgeOf,
  // What is learnt from a run's steps is not known before its request is.
  earlyGenerations: (settings, most) =>
    Array.isArray(settings.covariates) ? null : earlyGenerations(judgeOf(settings), most),
  warning({ covariates }) {
    const { length = 0 } = covariates === undefined ? {} : earnedBy(covariates);
    const told = `length_taken_out: ${length.toFixed(3)} log-odds a doubling; where longer answers are better this takes worth away`;
    return length === 0 ? null : told;
  },
  facts: ({ schedule }) => (needsReference(schedule) ? ["group.reference"] : []),
  range: ({ schedule, score }, n) => scoreRange(score, needsReference(schedule) ? n + 1 : n),
  open(prepared, settings, context) {
    const { score, covariates } = settings;
    const judge = judgeOf(settings);
    const { seed } = context;
    const opponent = needsReference(settings.schedule) ? withReference(prepared) : null;
    const { group } = opponent ?? { group: prepared };
    const sizes = group.keys.map((_, classIndex) => group.classes.members[classIndex]?.length ?? 1);
    const reference = opponent !== null && { reference: opponent.reference };
    const begin = () => new TournamentRun({ keys: group.keys, judge, seed, sizes, ...reference });
    const run = namingGroup(group, begin);
    const proper = { judge: { ...judge, first: undefined }, seed };
    const after = new FollowUpQuestions(group, proper, opponent?.reference);
    const asked = { to: "chat", preset: judge.prompt, ...slotsOf(judge) } as const;
    const first = { ...asked, preset: judgeAsked(judge, { by: "first" }).prompt };
    const put = (wave: readonly Presentation[]): Question[] =>
      wave.map((presentation) => ({ ...(presentation.by === "first" ? first : asked), ...presentation }));
    const { alone } = run;
    const seenOf = (asked: readonly AskedQuestion[]) => seenBy(asked, group.keys.length, judge);
    return {
      ...(opponent !== null && { shows: opponent.shows }),
      asksAgain: run.asksAgain,
      ...(alone !== null && {
        follows: {
          most: alone.most,
          next: (asked) => put(alone.next(seenOf(asked).results)),
        },
      }),
      worth: () => run.worthOfLast,
      next(seen) {
        const planned = namingGroup(group, () => run.next(seenOf(seen)));
        if (planned.length > 0 || seen.length === 0) return put(planned);
        return put(run.further(after.next(standing(seen, judge)), seenOf(seen)));
      },
      mayBring: (wave) => run.mostBroughtBy(wave),
      forecast: (work) => forecastOf(begin, group.keys.length, work),
      result(seen) {
        const { atFault } = attribution(group.texts, standing(seen, judge));
        return resultOf(group, { judge, score, covariates, run, atFault, ...reference }, context, seen);
      },
    };
  },
};

/** Terms are of strengths, and of pairs that are met once or evenly. */
function covariatesFault({ covariates, schedule: named, score, judge }: TournamentSettings) {
  if (covariates === undefined) return null;
  const fault = (path: string, message: string) => ({ path: [path], message });
  if (score !== "strength") return fault("covariates", "goes with score strength: others count wins");
  const { schedule, settings } = scheduleOf(named);
  if (judge.mode !== "pairwise" || schedule.choose !== undefined || schedule.repeats?.(settings) === true)
    return fault("covariates", "goes with schedules of pairs that ask none again: auto, and active with again, do");
  if (judge.first !== undefined) return fault("covariates", "are one judge's: leave out judge.first, or them");
  return null;
}

/** Names the group's field in what a schedule refuses. */
function namingGroup<T>({ index, classes }: PreparedGroup, next: () => T): T {
  try {
    return next();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const tooLong = `${classes.members.length} different candidates, at most list_candidates_max = ${LIMITS.list_candidates_max}${instead("list_candidates_max")}`;
    const message = error.code === "list_too_long" ? tooLong : error.message;
    throw new ApiError(error.code, error.message, { errors: [{ path: `groups[${index}].rollouts`, message }] });
  }
}
