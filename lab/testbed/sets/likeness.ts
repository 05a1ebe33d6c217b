// How alike programs are: edit distance over tokens. Pure; knows no list.

export const tokensOf = (code: string): string[] => code.match(/\w+|[^\s\w]/g) ?? [];

/**
 * Levenshtein distance over tokens: the fewest tokens put in, taken out or replaced. Equal ends are
 * cut first, for mutants differ in little.
 */
export function tokenDistance(a: readonly string[], b: readonly string[]): number {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  let above = Array.from({ length: endB - start + 1 }, (_, j) => j);
  for (let i = start; i < endA; i++) {
    const row = [i - start + 1];
    for (let j = start; j < endB; j++) {
      const replaced = (above[j - start] as number) + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(replaced, (above[j - start + 1] as number) + 1, (row[j - start] as number) + 1));
    }
    above = row;
  }
  return above[endB - start] as number;
}

/** From 0 to 1: the share of the longer one's tokens that the shorter one has in its place. */
export function tokenSimilarity(a: readonly string[], b: readonly string[]): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - tokenDistance(a, b) / longest;
}

/** Distances between programs by their ids, each computed once. */
export function createDistances(): (a: { id: string; code: string }, b: { id: string; code: string }) => number {
  const tokens = new Map<string, string[]>();
  const known = new Map<string, number>();
  const read = ({ id, code }: { id: string; code: string }): string[] => {
    const found = tokens.get(id) ?? tokensOf(code);
    tokens.set(id, found);
    return found;
  };
  return (a, b) => {
    const key = a.id < b.id ? `${a.id} ${b.id}` : `${b.id} ${a.id}`;
    const distance = known.get(key) ?? tokenDistance(read(a), read(b));
    known.set(key, distance);
    return distance;
  };
}
