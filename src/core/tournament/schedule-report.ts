// Defines what a run reports of itself: its schedule, the score that was chosen for the spec, and why it
// asked no more.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { ScheduleReport } from "../asking/comparison.ts";
import { isFirst, isProbe } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { samplesOf } from "./pair-questions.ts";
import type { Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";

interface ScheduleReportInput {
  judge: Judge;
  /** The spec's. */
  score: string;
  scoreboard: Scoreboard;
  /** Generations that the budget did not pay. */
  unpaid: number;
  /** Questions that the deadline came before. */
  cut: number;
}

/** Which schedule asked, the score that was chosen, and the generations that were not needed or not paid. */
export function scheduleReport(
  all: readonly AskedQuestion[],
  { judge, score, scoreboard, unpaid, cut }: ScheduleReportInput,
): ScheduleReport {
  const { max, confidence } = samplesOf(judge);
  const first = all.flatMap(({ question }) => (isFirst(question) && !isProbe(question) ? [question] : []));
  const shown = new Set(first.map(({ shown }) => shown.join()));
  const sure = confidence === null ? 0 : shown.size * max - first.reduce((sum, { samples }) => sum + samples, 0);
  const chosen = SCORES[score]?.choose?.(scoreboard);
  return { schedule: judge.schedule, ...(chosen !== undefined && { chosen: { score: chosen } }), unpaid, sure, cut };
}
