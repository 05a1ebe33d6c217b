// The signal kind `tournament`: a verifier compares a group's candidates, and each rollout is scored by its
// results. The schedules are in ../tournament/schedules.

import * as z from "zod";
import { said } from "#said";
import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Presentation, Question } from "../asking/questions.ts";
import type { Signal } from "../asking/signal.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema, type JudgeSettings } from "../contract/judge-settings.ts";
import type { FlatSpec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { backendFor, listLimitOf } from "../judges/presets/table.ts";
import { attribution } from "./attribution.ts";
import { FollowUpQuestions } from "./follow-up-questions.ts";
import { judgeFault } from "./judge-fault.ts";
import { earlyGenerations, needsReference, ScheduleSchema, scheduleOf } from "./named-schedule.ts";
import { withReference } from "./reference-opponent.ts";
import { seenBy } from "./run-so-far.ts";
import { ScoreSchema, scoreRange } from "./scores.ts";
import { resultOf } from "./tournament-result.ts";
import { TournamentRun } from "./tournament-run.ts";

const SCHEMA = z.strictObject({
  judge: JudgeSchema.prefault({}),
  schedule: ScheduleSchema,
  score: ScoreSchema.meta(said("same values as `reward` in a spec without signals")),
});

export interface TournamentSettings {
  judge: Omit<JudgeSettings, "schedule">;
  schedule: JudgeSettings["schedule"];
  score: FlatSpec["reward"];
}

/** Scores that do not depend on the other rollouts if each rollout is compared only with a reference. */
const OF_ONE_PAIR = ["win_rate", "wins", "net_win_rate", "soft"];

/** Scores that count games, so that rollouts with more comparisons earn more. */
const OF_GAMES = ["wins", "top1", "copeland"];

const judgeOf = ({ judge, schedule }: TournamentSettings): JudgeSettings => ({ ...judge, schedule });

export const tournament: Signal<TournamentSettings> = {
  kind: "tournament",
  takesTooLong: () => true,
  schema: SCHEMA,
  relative: true,
  relativeWith: ({ schedule, score }) => !(needsReference(schedule) && OF_ONE_PAIR.includes(score)),
  canonical(settings) {
    const { judge, schedule: given, score } = settings as unknown as z.output<typeof SCHEMA>;
    const { schedule, ...rest } = canonicalJudge({ ...judge, schedule: given });
    return { judge: rest, schedule, score };
  },
  fault(settings) {
    const fault = judgeFault(judgeOf(settings), settings.score);
    const ownPath = fault !== null && ["schedule", "score"].includes(fault.path[0] as string);
    return fault === null || ownPath ? fault : { ...fault, path: ["judge", ...fault.path] };
  },
  judge: judgeOf,
  to: ({ judge }) => backendFor(judge.prompt),
  earlyGenerations: (settings, maxRollouts) => earlyGenerations(judgeOf(settings), maxRollouts),
  caution({ schedule: named, score }) {
    const { schedule, settings } = scheduleOf(named);
    if (!OF_GAMES.includes(score) || schedule.unequalGames?.(settings) !== true) return null;
    const name = typeof named === "string" ? named : named.name;
    return `unequal_games: ${score} counts wins, and ${name} asks about some rollouts more often than about others; use the score strength or rank, or the schedule round_robin, circular or swiss`;
  },
  facts: ({ schedule }) => (needsReference(schedule) ? ["group.reference"] : []),
  range: ({ schedule, score }, n) => scoreRange(score, needsReference(schedule) ? n + 1 : n),
  open(prepared, settings, context) {
    const { score } = settings;
    const judge = judgeOf(settings);
    const { seed } = context;
    const opponent = needsReference(settings.schedule) ? withReference(prepared) : null;
    const { group } = opponent ?? { group: prepared };
    const reference = opponent !== null && { reference: opponent.reference };
    const begin = () => new TournamentRun({ keys: group.keys, judge, seed, ...reference });
    const run = namingGroup(group, judge.prompt, begin);
    const after = new FollowUpQuestions(group, { judge, seed }, opponent?.reference);
    const asked = { to: backendFor(judge.prompt), preset: judge.prompt, ...slotsOf(judge) } as const;
    const questionsOf = (wave: readonly Presentation[]): Question[] =>
      wave.map((presentation) => ({ ...asked, ...presentation }));
    const { alone } = run;
    const seenOf = (asked: readonly AskedQuestion[]) => seenBy(asked, group.keys.length, judge);
    return {
      ...(opponent !== null && { shows: opponent.shows }),
      asksAgain: run.asksAgain,
      ...(alone !== null && {
        follows: {
          maxGenerations: alone.maxGenerations,
          next: (asked) => questionsOf(alone.next(seenOf(asked).results)),
        },
      }),
      next(seen) {
        const planned = namingGroup(group, judge.prompt, () => run.next(seenOf(seen)));
        if (planned.length > 0 || seen.length === 0) return questionsOf(planned);
        return questionsOf(run.further(after.next(seen), seenOf(seen)));
      },
      mostOf: (first) => run.mostOf(first),
      result(seen) {
        const { atFault } = attribution(group.texts, seen);
        return resultOf(group, { judge, score, run, atFault, ...reference }, context, seen);
      },
    };
  },
};

/** Adds the group's path to errors thrown by a schedule. */
function namingGroup<T>({ index, classes }: PreparedGroup, prompt: string, next: () => T): T {
  try {
    return next();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const limit = listLimitOf(prompt);
    const tooLong = `${classes.members.length} different candidates; the limit is ${limit} = ${LIMITS[limit]}${instead(limit)}`;
    const message = error.code === "list_too_long" ? tooLong : error.message;
    throw new ApiError(error.code, error.message, { errors: [{ path: `groups[${index}].rollouts`, message }] });
  }
}
