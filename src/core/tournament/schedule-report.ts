// The report on a run: its schedule, the score chosen by `auto`, and the generations that were not asked, by
// reason.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { ScheduleReport } from "../asking/comparison.ts";
import { isFirst } from "../asking/purpose.ts";
import type { Judge } from "../asking/signal.ts";
import { samplesOf } from "./pair-questions.ts";
import type { Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";

interface ScheduleReportInput {
  judge: Judge;
  /** The score named by the spec. */
  score: string;
  scoreboard: Scoreboard;
  /** Generations that the budget did not cover. */
  unpaid: number;
  /** Number of questions cut off by the deadline. */
  cut: number;
}

/**
 * Reports the schedule, the chosen score, and the numbers of generations that were not needed, not covered,
 * or cut off.
 */
export function scheduleReport(
  all: readonly AskedQuestion[],
  { judge, score, scoreboard, unpaid, cut }: ScheduleReportInput,
): ScheduleReport {
  const { max, confidence } = samplesOf(judge);
  const first = all.flatMap(({ question }) => (isFirst(question) ? [question] : []));
  const shown = new Set(first.map(({ shown }) => shown.join()));
  const sure = confidence === null ? 0 : shown.size * max - first.reduce((sum, { samples }) => sum + samples, 0);
  const chosen = SCORES[score]?.choose?.(scoreboard);
  return { schedule: judge.schedule, ...(chosen !== undefined && { chosen: { score: chosen } }), unpaid, sure, cut };
}
