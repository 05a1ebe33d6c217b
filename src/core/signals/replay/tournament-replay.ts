// Owns scoring a tournament again from its logged verdicts: the same questions and readings, under
// another score. Knows no schedule's plan, which hangs on texts that are not logged.
import type { PreparedGroup } from "../../candidate/prepare.ts";
import { type Question, REASK_FROM, REPEAT_FROM, TRIAL_FROM } from "../../judges/questions.ts";
import { NOTHING, type Reading } from "../../judges/readings.ts";
import { type Verdict, type VerdictColumns, verdictIn } from "../../judges/verdicts.ts";
import type { AskedQuestion } from "../../tournament/asked-questions.ts";
import { Contest } from "../../tournament/contest.ts";
import { factOf, type Judge, type Signal } from "../signal.ts";
import { type TournamentSettings, tournament } from "../tournament.ts";
import { type Judged, resultOf } from "../tournament-result.ts";
import type { LoggedGroup, LoggedRollout, LoggedVerdict, ReplayedRollout } from "./logged-group.ts";

/**
 * The kind `tournament` over the logged verdicts of the signal `was`. No score is told by the
 * places of an incomplete schedule, whose order of play is not logged.
 * @param alone no other signal of the logged spec compares
 */
export const replayedTournament = (was: string, alone: boolean): Signal<TournamentSettings> => ({
  ...tournament,
  open(group, { judge: rest, schedule, score }, { seed, judgeable }) {
    const judge = { ...rest, schedule };
    const logged = factOf<LoggedGroup>(group.group, "logged") as LoggedGroup;
    const verdicts = logged.verdicts.filter(({ signal }) => signal === was);
    const asked = questionsOf(group, logged, verdicts);
    const contest = contestOf(group, judge, seed);
    const blamed = new Set(blamedIn(group, logged, alone ? null : (logged.refused[was] ?? [])));
    return {
      next: () => [],
      result: () => resultOf(group, { judge, score, contest, blamed }, { seed, judgeable }, asked),
    };
  },
});

/** What a contest says of itself whatever was asked and in what order. */
function contestOf({ keys, classes }: PreparedGroup, judge: Judge, seed: number): Judged["contest"] {
  const sizes = classes.members.map(({ length }) => length);
  const {
    byWins,
    complete,
    freePoint,
    judge: asking,
    repeats,
    schedule,
    unpaid,
  } = new Contest({
    ...{ keys, judge, seed, sizes },
  });
  const unwanted = () => ({ early_stop: 0, sure: 0 });
  const told = { byWins, complete, freePoint, judge: asking, repeats, schedule, unpaid };
  return { ...told, ended: true, unwanted, places: () => undefined };
}

/** A class's index in `group` by the rollout that stands for it in the log. */
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
    return { question, own: true, readings: rows.map(readingOf) };
  });
}

/** Whether a question was asked as a trial, or again for want of a verdict. */
function isAsked(sample: number): Partial<Question> {
  if (sample >= TRIAL_FROM) return { trial: true };
  return sample % REPEAT_FROM >= REASK_FROM ? { reask: true } : {};
}

/** What only cost is told by is not read: it decides nothing. */
const UNTOLD = {
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  latency_ms: 0,
  model: null,
  backend: null,
};

function readingOf({ sample, status, error: code, ...said }: LoggedVerdict): Reading {
  return { ...UNTOLD, ...NOTHING, sample, status, code, verdict: verdictOf(said, status) };
}

/** That two are equal is told by the status. */
const verdictOf = (said: VerdictColumns, status: Reading["status"]): Verdict | null =>
  verdictIn(said) ?? (status === "tie" ? { kind: "preference", strength: 0 } : null);

/**
 * Classes that were blamed for refusals. Of the one signal that compares they are those that were
 * compared and yet break the format, though they jam nobody (null); of several each tells its own.
 */
function blamedIn(
  { group, classes }: PreparedGroup,
  { rollouts }: LoggedGroup,
  refused: readonly number[] | null,
): number[] {
  return group.rollouts.flatMap((rollout, own) => {
    const r = factOf<number>(rollout, "index") as ReplayedRollout["index"];
    const { format_ok, jams_judge } = rollouts[r] as LoggedRollout;
    const is = refused === null ? !format_ok && !jams_judge : refused.includes(r);
    return is ? (classes.classOf[own] ?? []) : [];
  });
}
