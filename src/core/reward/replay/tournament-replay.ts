// Rescores a tournament from its logged verdicts: takes the same questions and readings and applies another
// score. Does not rerun the schedule, which depends on candidates, which are not logged.

import type { AskedQuestion } from "../../asking/asked-questions.ts";
import { loggedPurpose } from "../../asking/purpose.ts";
import type { Question } from "../../asking/questions.ts";
import { NO_FACTS, NOTHING, type Reading } from "../../asking/readings.ts";
import { factOf, type Judge, type Signal } from "../../asking/signal.ts";
import type { PreparedGroup } from "../../candidate/prepare.ts";
import { type Verdict, type VerdictColumns, verdictIn } from "../../judges/verdicts.ts";
import { type TournamentSettings, tournament } from "../../tournament/tournament.ts";
import { resultOf, type TournamentJudgement } from "../../tournament/tournament-result.ts";
import { TournamentRun } from "../../tournament/tournament-run.ts";
import type { LoggedGroup, LoggedRollout, LoggedVerdict, ReplayedRollout } from "./logged-group.ts";

/**
 * The kind `tournament` over the logged verdicts of the signal `was`. plan.ts rejects scores that need the
 * places of a schedule, since the order of comparisons is not logged.
 * @param alone whether `was` is the only comparing signal in the logged spec
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

/** A finished run, used only for its report; the questions asked and their order do not matter. */
function tournamentRunOf({ keys }: PreparedGroup, judge: Judge, seed: number): TournamentJudgement["run"] {
  return Object.assign(new TournamentRun({ keys, judge, seed }), { ended: true, places: () => undefined });
}

/** Returns a function that maps a logged rollout to the index of its class in `group`. */
function classBy(group: PreparedGroup, { rollouts }: LoggedGroup): (rollout: number) => number {
  return (rollout) => group.texts.indexOf(rollouts[rollout]?.candidate_hash as string);
}

/** Rebuilds the asked questions, one per comparison. */
function questionsOf(group: PreparedGroup, logged: LoggedGroup, verdicts: readonly LoggedVerdict[]): AskedQuestion[] {
  const classOf = classBy(group, logged);
  return [...Map.groupBy(verdicts, ({ comparison }) => comparison).values()].map((rows) => {
    const [{ order, sample }] = rows as [LoggedVerdict];
    const shown = order.map(classOf);
    const purpose = loggedPurpose(sample);
    const question: Question = { to: "chat", preset: "", shown, samples: rows.length, purpose };
    return { question, charged: true, readings: rows.map(readingOf) };
  });
}

function readingOf({ sample, status, error: code, ...columns }: LoggedVerdict): Reading {
  return { ...NO_FACTS, ...NOTHING, sample, status, code, verdict: verdictOf(columns, status) };
}

/** A `tie` status without a verdict means equal strength. */
const verdictOf = (columns: VerdictColumns, status: Reading["status"]): Verdict | null =>
  verdictIn(columns) ?? (status === "tie" ? { kind: "preference", strength: 0 } : null);

/**
 * Classes blamed for refusals. If only one signal compares (`refused` is null), these are the compared
 * classes that break the format without jamming the judge. If several signals compare, each logs the rollouts
 * that its verifier refused.
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
