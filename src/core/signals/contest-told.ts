// Owns what a contest tells of itself: its schedule, what was chosen for the spec, and why it asked
// no more.

import { isFirst, isProbe } from "../judges/questions.ts";
import type { AskedQuestion } from "../tournament/asked-questions.ts";
import { samplesOf } from "../tournament/asking-pairs.ts";
import type { Contest } from "../tournament/contest.ts";
import type { Standing } from "../tournament/score.ts";
import { SCORES } from "../tournament/score-table.ts";
import type { ContestTold, Judge } from "./signal.ts";

type Asking = Pick<Contest, "ended" | "judge" | "schedule" | "unpaid" | "unwanted">;

interface Told {
  judge: Judge;
  /** The spec's. */
  score: string;
  standing: Standing;
  /** How sure the order is (sureness.ts). */
  sure(): { best: number };
  /** Questions that the deadline came before. */
  cut: number;
}

/**
 * Which schedule asked, what was chosen for the spec, and the generations that were not needed or
 * not paid.
 */
export function toldOf(
  contest: Asking,
  all: readonly AskedQuestion[],
  { judge: { schedule: named }, score, standing, sure: sureness, cut }: Told,
): ContestTold {
  const { schedule, unpaid, judge } = contest;
  const { max, confidence } = samplesOf(judge);
  const first = all.flatMap(({ question }) => (isFirst(question) && !isProbe(question) ? [question] : []));
  const shown = new Set(first.map(({ shown }) => shown.join()));
  const settled = confidence === null ? 0 : shown.size * max - first.reduce((sum, { samples }) => sum + samples, 0);
  const { early_stop, sure } = contest.unwanted(first);
  const { both_orders, samples } = judge;
  const auto = (typeof named === "string" ? named : named.name) === "auto" || score === "auto";
  const own = SCORES[score]?.choose?.(standing) ?? score;
  const end = auto ? endOf(contest, sureness) : null;
  const chosen = auto ? { chosen: { schedule, both_orders, samples, score: own, ...(end !== null && { end }) } } : {};
  return { schedule, ...chosen, unpaid, early_stop, sure: settled + sure, cut };
}

/** Why a contest with a wanted order_confidence asked no more; null of others. */
function endOf({ schedule, ended, unpaid }: Asking, sureness: Told["sure"]) {
  const wanted = typeof schedule === "string" ? undefined : (schedule.order_confidence as number | undefined);
  if (wanted === undefined) return null;
  if (sureness().best >= wanted) return "order_confidence" as const;
  if (unpaid > 0) return "budget" as const;
  return ended ? ("samples" as const) : ("limit" as const);
}
