// Reads which turn of each run an answer names in addition to its verdict.
import { segmentOf } from "./parsers/answer-text.ts";
import type { Preset } from "./presets/preset.ts";

const NAMED = /"turn(?: ([A-Z]))?"\s{0,9}:\s{0,9}"?(\d{1,6})\b/g;

/**
 * Returns a turn for each candidate shown, read from `"turn": 3` for a single run and `"turn A": 3` for
 * several. If a run is mentioned several times, the last mention counts. Returns null if the answer names no
 * turn or the preset does not ask for turns. Does not check that the run has such a turn.
 */
export function turnsNamed(preset: Preset | null, answer: string, count: number): (number | null)[] | null {
  if (preset?.turns !== true) return null;
  const turns = new Array<number | null>(count).fill(null);
  for (const [, letter, turn] of (segmentOf(answer) ?? "").matchAll(NAMED)) {
    const place = letter === undefined ? (count === 1 ? 0 : -1) : letter.charCodeAt(0) - 65;
    if (place >= 0 && place < count) turns[place] = Number(turn);
  }
  return turns.some((turn) => turn !== null) ? turns : null;
}
