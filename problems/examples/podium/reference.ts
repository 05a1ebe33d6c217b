// The reference solution of podium: a runner is on it when fewer than k different scores beat theirs.

/** Names and scores (same length), and the number of steps, to the names on the podium in order. */
export function solve(names: readonly string[], scores: readonly number[], k: number): string[] {
  const runners = names.map((name, i) => ({ name, score: scores[i] ?? 0 }));
  const higher = (score: number) => new Set(scores.filter((other) => other > score)).size;
  return runners
    .filter(({ score }) => higher(score) < k)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}
