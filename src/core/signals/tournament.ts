// Owns the kind `tournament`: a group's candidates compared by a verifier, each rollout's score by
// its wins. Deciding: ../tournament.ts; schedules: ../schedules.
import * as z from "zod";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema, type Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { furtherShowings } from "../tournament/attribution.ts";
import { Contest } from "../tournament/contest.ts";
import { ScheduleSchema } from "../tournament/named-schedule.ts";
import { ScoreSchema, scoreRange } from "../tournament/scores.ts";
import { judgeFault } from "./judge-fault.ts";
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
    const fault = judgeFault(judgeOf(settings), settings.score);
    const own = fault !== null && ["schedule", "score"].includes(fault.path[0] as string);
    return fault === null || own ? fault : { ...fault, path: ["judge", ...fault.path] };
  },
  judge: judgeOf,
  facts: () => [],
  range: ({ score }, n) => scoreRange(score, n),
  open(group, settings, about) {
    const { score } = settings;
    const judge = judgeOf(settings);
    const { seed } = about;
    const contest = namingGroup(group, () => new Contest({ keys: group.keys, judge, seed }));
    return {
      next(seen) {
        const planned = namingGroup(group, () => contest.next(seenBy(seen, group.keys.length, judge)));
        const wave = planned.length > 0 || seen.length === 0 ? planned : furtherShowings(group, seen, { judge, seed });
        return wave.map((showing) => ({ to: "chat", preset: judge.prompt, ...slotsOf(judge), ...showing }));
      },
      result: (seen) => resultOf(group, { judge, score, contest }, about, seen),
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
