// The marks that a simulated judge gives on a preset's scale. Pure; knows no form of an answer.
import type { Draw } from "./noise.ts";

export type Range = readonly [low: number, high: number];

/** Scales at least this wide are marked in whole numbers, narrower ones in steps of 0.05. */
const WHOLE_FROM = 2;

const stepOf = ([low, high]: Range, whole: boolean): number => (whole || high - low >= WHOLE_FROM ? 1 : 0.05);

/** Without the noise of binary fractions. */
const tidied = (mark: number): number => Number(mark.toFixed(2));

/**
 * One mark a candidate within the range: what the draw would give each, rounded to the scale's
 * step. Of several the one chosen is alone at the top: a tie would be another verdict.
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

/** Marks of which each is another. */
export const otherMarks = (marks: readonly number[], [low, high]: Range): number[] =>
  marks.map((mark) => (mark === high ? low : high));
