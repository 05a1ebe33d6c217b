// Counts which turns the verdicts name for each multi-turn rollout, as evidence in addition to the rewards.
// Turn numbers that the rollout does not have are ignored.
import { isJudgement } from "../asking/purpose.ts";
import type { Reading } from "../asking/readings.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { GroupSignals, SignalQuestion } from "./group-signals.ts";

/** Rollouts in the order shown; each class is represented by its first member. */
export const shownRollouts = (
  { classes }: PreparedGroup,
  { question, rollouts }: Pick<SignalQuestion, "question" | "rollouts">,
): readonly number[] => rollouts ?? question.shown.map((member) => classes.members[member]?.[0] as number);

/**
 * The turn that a reading names for each position shown, null for a turn that the rollout does not have; null
 * if no turn is valid.
 */
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

/** Number of verdicts that named a turn, by turn number. */
type TurnCounts = Record<string, number>;

/** Turns named by a signal's verdicts for a rollout or its duplicates; null if they name none. */
export type TurnsNamed = (signal: string, r: number) => { turns: TurnCounts } | null;

export function turnsNamedOf(signals: GroupSignals): TurnsNamed {
  const { prepared } = signals;
  const { classOf, members } = prepared.classes;
  const all = new Map<string, TurnCounts>();
  for (const entry of prepared.evidence === undefined ? [] : signals.asked()) {
    const { question } = entry;
    if (!isJudgement(question)) continue;
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
