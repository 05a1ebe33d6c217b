// Reads which turn of each run an answer names, beside its verdict.
import { segmentOf } from "./parsers/answer-text.ts";
import type { Preset } from "./presets/preset.ts";

const NAMED = /"turn(?: ([A-Z]))?"\s{0,9}:\s{0,9}"?(\d{1,6})\b/g;

/**
 * One a place shown, the last that is named of it: of one run `"turn": 3`, of several `"turn A": 3`.
 * Null where none is named, or the preset asks for none. Whether a run has such a turn is not known
 * here.
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
