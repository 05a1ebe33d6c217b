// Owns what a run reports of itself: its schedule, what was chosen for the spec, and why it asked
// no more.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { ScheduleReport } from "../asking/comparison.ts";
import { comparedIn, isFirst, isProbe } from "../asking/questions.ts";
import type { Judge } from "../asking/signal.ts";
import { ownCost, samplesOf } from "./pair-questions.ts";
import { standing } from "./run-so-far.ts";
import type { Scoreboard } from "./score.ts";
import { SCORES } from "./score-table.ts";
import type { TournamentRun } from "./tournament-run.ts";

type EndedRun = Pick<TournamentRun, "ended" | "judge" | "schedule" | "unpaid" | "unwanted">;

interface ScheduleReportInput {
  judge: Judge;
  /** The spec's. */
  score: string;
  scoreboard: Scoreboard;
  /** How sure the order is (sureness.ts). */
  sure(): { best: number };
  /** Questions that the deadline came before. */
  cut: number;
}

/**
 * Which schedule asked, what was chosen for the spec, and the generations that were not needed or
 * not paid.
 */
export function scheduleReport(
  run: EndedRun,
  all: readonly AskedQuestion[],
  { judge: spec, score, scoreboard, sure: sureness, cut }: ScheduleReportInput,
): ScheduleReport {
  const { schedule: named } = spec;
  const { schedule, unpaid, judge } = run;
  const { max, confidence } = samplesOf(judge);
  const first = all.flatMap(({ question }) => (isFirst(question) && !isProbe(question) ? [question] : []));
  const own = first.filter(({ by }) => by !== "first");
  const shown = new Set(own.map(({ shown }) => shown.join()));
  const settled = confidence === null ? 0 : shown.size * max - own.reduce((sum, { samples }) => sum + samples, 0);
  const { early_stop, sure } = run.unwanted(first);
  const { both_orders, samples } = judge;
  const auto = (typeof named === "string" ? named : named.name) === "auto" || score === "auto";
  const scoreName = SCORES[score]?.choose?.(scoreboard) ?? score;
  const end = auto ? endOf(run, sureness) : null;
  const chosen = auto
    ? { chosen: { schedule, both_orders, samples, score: scoreName, ...(end !== null && { end }) } }
    : {};
  const before = judge.first === undefined ? {} : { first: settledFirst(standing(all, spec)) * ownCost(judge) };
  return { schedule, ...chosen, unpaid, early_stop, sure: settled + sure, cut, ...before };
}

/** Pairs that the judge asked first settled alone. */
function settledFirst(last: readonly AskedQuestion[]): number {
  const byPair = Map.groupBy(last, ({ question }) => comparedIn(question));
  return [...byPair.values()].filter((asked) => asked.every(({ question }) => question.by === "first")).length;
}

/** Why a run with a wanted order_confidence asked no more; null of others. */
function endOf({ schedule, ended, unpaid }: EndedRun, sureness: ScheduleReportInput["sure"]) {
  const wanted = typeof schedule === "string" ? undefined : (schedule.order_confidence as number | undefined);
  if (wanted === undefined) return null;
  if (sureness().best >= wanted) return "order_confidence" as const;
  if (unpaid > 0) return "budget" as const;
  return ended ? ("samples" as const) : ("limit" as const);
}
