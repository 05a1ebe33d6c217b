// Scores a tournament again from its logged verdicts: the same questions and readings, under another score.
// Must not know a schedule's plan, which depends on texts that are not logged.

import type { AskedQuestion } from "../../asking/asked-questions.ts";
import { type Question, REASK_FROM, REPEAT_FROM, TRIAL_FROM } from "../../asking/questions.ts";
import { NO_FACTS, NOTHING, type Reading } from "../../asking/readings.ts";
import { factOf, type Judge, type Signal } from "../../asking/signal.ts";
import type { PreparedGroup } from "../../candidate/prepare.ts";
import { type Verdict, type VerdictColumns, verdictIn } from "../../judges/verdicts.ts";
import { type TournamentSettings, tournament } from "../../tournament/tournament.ts";
import { resultOf, type TournamentJudgement } from "../../tournament/tournament-result.ts";
import { TournamentRun } from "../../tournament/tournament-run.ts";
import type { LoggedGroup, LoggedRollout, LoggedVerdict, ReplayedRollout } from "./logged-group.ts";

/**
 * The kind `tournament` over the logged verdicts of the signal `was`. Scores by the places of an incomplete
 * schedule are refused, since its order of play is not logged.
 * @param alone no other signal of the logged spec compares
 */
export const replayedTournament = (was: string, alone: boolean): Signal<TournamentSettings> => ({
  ...tournament,
  facts: () => [],
  open(group, { judge: rest, schedule, score }, { seed, judgeable }) {
    const judge = { ...rest, schedule };
    const logged = factOf<LoggedGroup>(group.group, "logged") as LoggedGroup;
    const verdicts = logged.verdicts.filter(({ signal }) => signal === was);
    const asked = questionsOf(group, logged, verdicts);
    const run = tournamentRunOf(group, judge, seed);
    const atFault = new Set(classesAtFault(group, logged, alone ? null : (logged.refused[was] ?? [])));
    return {
      next: () => [],
      result: () => resultOf(group, { judge, score, run, atFault }, { seed, judgeable }, asked),
    };
  },
});

/** A run's report, whatever was asked and in what order. */
function tournamentRunOf({ keys }: PreparedGroup, judge: Judge, seed: number): TournamentJudgement["run"] {
  return Object.assign(new TournamentRun({ keys, judge, seed }), { ended: true, places: () => undefined });
}

/** A class's index in `group` by the rollout that represents it in the log. */
function classBy(group: PreparedGroup, { rollouts }: LoggedGroup): (rollout: number) => number {
  return (rollout) => group.texts.indexOf(rollouts[rollout]?.candidate_hash as string);
}

/** The questions as they were asked, one a comparison. */
function questionsOf(group: PreparedGroup, logged: LoggedGroup, verdicts: readonly LoggedVerdict[]): AskedQuestion[] {
  const classOf = classBy(group, logged);
  return [...Map.groupBy(verdicts, ({ comparison }) => comparison).values()].map((rows) => {
    const [{ order, sample }] = rows as [LoggedVerdict];
    const how = isAsked(sample);
    const shown = order.map(classOf);
    const question: Question = { to: "chat", preset: "", shown, samples: rows.length, first_sample: sample, ...how };
    return { question, charged: true, readings: rows.map(readingOf) };
  });
}

/** Whether a question was asked as a trial, or again because its answers could not be read. */
function isAsked(sample: number): Partial<Question> {
  if (sample >= TRIAL_FROM) return { trial: true };
  return sample % REPEAT_FROM >= REASK_FROM ? { reask: true } : {};
}

function readingOf({ sample, status, error: code, ...columns }: LoggedVerdict): Reading {
  return { ...NO_FACTS, ...NOTHING, sample, status, code, verdict: verdictOf(columns, status) };
}

/** The status says that two are equal. */
const verdictOf = (columns: VerdictColumns, status: Reading["status"]): Verdict | null =>
  verdictIn(columns) ?? (status === "tie" ? { kind: "preference", strength: 0 } : null);

/**
 * Classes that were blamed for refusals. For the one signal that compares they are those that were compared
 * and yet break the format, though they jam no question (null); with several each reports its own.
 */
function classesAtFault(
  { group, classes }: PreparedGroup,
  { rollouts }: LoggedGroup,
  refused: readonly number[] | null,
): number[] {
  return group.rollouts.flatMap((rollout, index) => {
    const r = factOf<number>(rollout, "index") as ReplayedRollout["index"];
    const { format_ok, jams_judge } = rollouts[r] as LoggedRollout;
    const is = refused === null ? !format_ok && !jams_judge : refused.includes(r);
    return is ? (classes.classOf[index] ?? []) : [];
  });
}
