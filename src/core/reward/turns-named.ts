// Decides which turns verdicts name of a group's runs, as evidence beside their rewards. One that a run does
// not have is none.
import { isProbe } from "../asking/questions.ts";
import type { Reading } from "../asking/readings.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { GroupSignals, SignalQuestion } from "./group-signals.ts";

/** Rollouts in the order shown: each class by its first. */
export const shownRollouts = (
  { classes }: PreparedGroup,
  { question, rollouts }: Pick<SignalQuestion, "question" | "rollouts">,
): readonly number[] => rollouts ?? question.shown.map((member) => classes.members[member]?.[0] as number);

/** For each place the turn that a reading names; null: none, or none that the run has. */
export function turnsIn(
  { evidence }: PreparedGroup,
  { turns }: Pick<Reading, "turns">,
  order: readonly number[],
): (number | null)[] | null {
  if (turns === undefined) return null;
  const had = turns.map((turn, place) => {
    const turnCount = evidence?.items[order[place] as number]?.turns.length ?? 0;
    return turn !== null && turn >= 1 && turn <= turnCount ? turn : null;
  });
  return had.some((turn) => turn !== null) ? had : null;
}

/** How many verdicts named a turn, by its number. */
type TurnCounts = Record<string, number>;

/** The turns that a signal's verdicts name of a rollout, and of those with the same candidate; null: none. */
export type TurnsNamed = (signal: string, r: number) => { turns: TurnCounts } | null;

export function turnsNamedOf(signals: GroupSignals): TurnsNamed {
  const { prepared } = signals;
  const { classOf, members } = prepared.classes;
  const all = new Map<string, TurnCounts>();
  for (const entry of prepared.evidence === undefined ? [] : signals.asked()) {
    // A probe is not a verdict.
    const { question } = entry;
    if (isProbe(question) || question.bare !== undefined || question.summary === true) continue;
    const order = shownRollouts(prepared, entry);
    for (const reading of entry.readings) {
      turnsIn(prepared, reading, order)?.forEach((turn, place) => {
        if (turn === null) return;
        const key = JSON.stringify([entry.signal, order[place]]);
        const counts = all.get(key) ?? {};
        counts[turn] = (counts[turn] ?? 0) + 1;
        all.set(key, counts);
      });
    }
  }
  return (signal, r) => {
    const turns = all.get(JSON.stringify([signal, members[classOf[r] ?? -1]?.[0] ?? r]));
    return turns === undefined ? null : { turns };
  };
}
