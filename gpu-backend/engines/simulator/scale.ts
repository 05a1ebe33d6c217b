// Scores of a simulated verifier on a preset's scale. Independent of the answer's format.
import type { Draw } from "./noise.ts";

export type Range = readonly [low: number, high: number];

/** Scales at least this wide use whole numbers, narrower ones use steps of 0.05. */
const WHOLE_FROM = 2;

const stepOf = ([low, high]: Range, whole: boolean): number => (whole || high - low >= WHOLE_FROM ? 1 : 0.05);

/** Rounds away binary floating-point noise. */
const tidied = (mark: number): number => Number(mark.toFixed(2));

/**
 * One score per candidate within the range: the level from the draw, rounded to the scale's step. Among
 * several candidates, the chosen one is strictly the best, because a tie would be a different verdict.
 */
export function marksOf({ levels, choice }: Draw, count: number, range: Range, whole: boolean): number[] {
  const [low, high] = range;
  const step = stepOf(range, whole);
  const rounded = (level: number) => Math.min(high, low + Math.round((level * (high - low)) / step) * step);
  const marks = levels.slice(0, count).map(rounded);
  if (count > 1) {
    const others = Math.max(...marks.filter((_, place) => place !== choice));
    const top = Math.min(high, Math.max(marks[choice] as number, others + step));
    for (const [place, mark] of marks.entries()) marks[place] = place === choice ? top : Math.min(mark, top - step);
  }
  return marks.map(tidied);
}

/** For each score, a different score. */
export const otherMarks = (marks: readonly number[], [low, high]: Range): number[] =>
  marks.map((mark) => (mark === high ? low : high));
