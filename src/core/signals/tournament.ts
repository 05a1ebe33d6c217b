// Owns the kind `tournament`: a group's candidates compared by a verifier, each rollout's score by
// its wins. Schedules: ../tournament/schedules.
import * as z from "zod";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema, type Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import type { Question, Showing } from "../judges/questions.ts";
import { AskedAfter } from "../tournament/asked-after.ts";
import type { AskedQuestion } from "../tournament/asked-questions.ts";
import { attribution } from "../tournament/attribution.ts";
import { Contest } from "../tournament/contest.ts";
import { forecastOf } from "../tournament/forecast.ts";
import { needsReference, ScheduleSchema } from "../tournament/named-schedule.ts";
import { ScoreSchema, scoreRange } from "../tournament/scores.ts";
import { judgeFault } from "./judge-fault.ts";
import { withReference } from "./reference-opponent.ts";
import type { Signal } from "./signal.ts";
import { resultOf, seenBy } from "./tournament-result.ts";

const SCHEMA = z.strictObject({
  judge: JudgeSchema.prefault({}),
  schedule: ScheduleSchema,
  score: ScoreSchema.meta({ description: "as `reward` of a spec without signals" }),
});

export interface TournamentSettings {
  judge: Omit<Spec["judge"], "schedule">;
  schedule: Spec["judge"]["schedule"];
  score: Spec["reward"];
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
    const { judge, schedule: given, score } = settings as unknown as z.output<typeof SCHEMA>;
    const { schedule, ...rest } = canonicalJudge({ ...judge, schedule: given });
    return { judge: rest, schedule, score };
  },
  fault(settings) {
    const fault = judgeFault(judgeOf(settings), settings.score);
    const own = fault !== null && ["schedule", "score"].includes(fault.path[0] as string);
    return fault === null || own ? fault : { ...fault, path: ["judge", ...fault.path] };
  },
  judge: judgeOf,
  facts: ({ schedule }) => (needsReference(schedule) ? ["group.reference"] : []),
  range: ({ schedule, score }, n) => scoreRange(score, needsReference(schedule) ? n + 1 : n),
  open(prepared, settings, about) {
    const { score } = settings;
    const judge = judgeOf(settings);
    const { seed } = about;
    const opponent = needsReference(settings.schedule) ? withReference(prepared) : null;
    const { group } = opponent ?? { group: prepared };
    const sizes = group.keys.map((_, own) => group.classes.members[own]?.length ?? 1);
    const reference = opponent !== null && { reference: opponent.reference };
    const begin = () => new Contest({ keys: group.keys, judge, seed, sizes, ...reference });
    const contest = namingGroup(group, begin);
    const after = new AskedAfter(group, { judge, seed }, opponent?.reference);
    const asked = { to: "chat", preset: judge.prompt, ...slotsOf(judge) } as const;
    const put = (wave: readonly Showing[]): Question[] => wave.map((showing) => ({ ...asked, ...showing }));
    const { alone } = contest;
    const seenOf = (asked: readonly AskedQuestion[]) => seenBy(asked, group.keys.length, judge);
    return {
      ...(opponent !== null && { shows: opponent.shows }),
      asksAgain: contest.asksAgain,
      ...(alone !== null && {
        follows: {
          most: alone.most,
          next: (asked) => put(alone.next(seenOf(asked).answered)),
        },
      }),
      next(seen) {
        const planned = namingGroup(group, () => contest.next(seenOf(seen)));
        if (planned.length > 0 || seen.length === 0) return put(planned);
        return put(contest.further(after.next(seen), seenOf(seen)));
      },
      forecast: (work) => forecastOf(begin, group.keys.length, work),
      result(seen) {
        const { blamed } = attribution(group.texts, seen);
        return resultOf(group, { judge, score, contest, blamed, ...reference }, about, seen);
      },
    };
  },
};

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
