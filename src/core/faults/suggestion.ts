// Finds the known name that is closest to a misspelt name.
import { LIMITS } from "./limits.ts";

/**
 * Optimal string alignment distance (Damerau 1964): the minimum number of insertions, deletions,
 * substitutions and transpositions of adjacent characters. O(|a| |b|).
 */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, (above[j] as number) + 1, (row[j - 1] as number) + 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j] as number, (before[j - 2] as number) + 1);
    }
    before = above;
    above = row;
  }
  return above[b.length] as number;
}

/**
 * Returns the most similar name, ignoring case, and the first one on a tie. Returns null if more than a third
 * of the letters differ, or if `word` is longer than suggestion_chars.
 */
export function nearest(word: string, names: readonly string[]): string | null {
  if (word.length > LIMITS.suggestion_chars) return null;
  const sought = word.toLowerCase();
  let found: string | null = null;
  let minDistance = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const longer = Math.max(name.length, word.length);
    if (3 * Math.abs(name.length - word.length) > longer) continue;
    const distance = editDistance(sought, name.toLowerCase());
    if (3 * distance > longer || distance >= minDistance) continue;
    found = name;
    minDistance = distance;
  }
  return found;
}

/** The "did you mean" suffix of an error message; empty if no name is similar enough. */
export function didYouMean(word: string, names: readonly string[]): string {
  const name = nearest(word, names);
  return name === null ? "" : `; did you mean ${JSON.stringify(name)}?`;
}
