// Evening out: how many lists of each length and language a split's bucket keeps, and which. Pure; knows no
// file.
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import type { SetList, SetManifest } from "../format/set-format.ts";
import type { DrawnList } from "./lists.ts";
import { SHORTCUTS } from "./shortcuts.ts";
import type { Split } from "./splits.ts";

export type SplitList = DrawnList & { split: Split; strength?: SetList["strength"] };
export type Cell = SetManifest["cells"][number];

/** Lists kept of a cell, by split; a cell that has fewer keeps all. */
export type CellSizes = Record<Split, number>;

const lengthOf = ({ candidates }: SplitList): number => candidates.length;

const sourceOf = ({ problem_id, generator }: SplitList): string => JSON.stringify([problem_id, generator]);

/**
 * One list of each problem and generator in turn, so that no problem rules a cell that others could
 * fill; seeded.
 */
function inTurn(lists: readonly SplitList[], random: () => number): SplitList[] {
  const queues = shuffled([...Map.groupBy(lists, sourceOf).values()], random).map((queue) => shuffled(queue, random));
  const turns = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: turns }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? [])).flat();
}

/**
 * The weight of one more list for each list that the choice has of its problem and generator, against a
 * shortcut's right picks squared.
 */
const REPEAT_WEIGHT = 0.3;

/**
 * The case against a choice of lists: for each shortcut, how many more of them it decides than a blind pick,
 * squared; and repeats.
 */
class Imbalance {
  readonly #gains = SHORTCUTS.map(() => 0);
  readonly #repeats = new Map<string, number>();

  static #gainsOf({ credits, candidates }: SplitList): number[] {
    return SHORTCUTS.map((shortcut) => credits[shortcut] - 1 / candidates.length);
  }

  change(list: SplitList, delta: 1 | -1): void {
    const source = sourceOf(list);
    this.#repeats.set(source, (this.#repeats.get(source) ?? 0) + delta);
    for (const [i, gain] of Imbalance.#gainsOf(list).entries()) this.#gains[i] = (this.#gains[i] ?? 0) + delta * gain;
  }

  /** By how much it grows when the list is added. */
  growth(list: SplitList): number {
    const repeats = this.#repeats.get(sourceOf(list)) ?? 0;
    const gains = Imbalance.#gainsOf(list).map((gain, i) => 2 * (this.#gains[i] ?? 0) * gain + gain ** 2);
    return gains.reduce((sum, each) => sum + each, REPEAT_WEIGHT * repeats);
  }
}

/** How often each place of a cell is filled anew; after a few rounds nothing improves. */
const ROUNDS = 6;

/**
 * `count` lists of one cell (all when there are fewer), such that whoever follows a shortcut is
 * right as often as by chance, and the problems have equal parts, as nearly as the lists allow.
 * From a blind choice each list in turn gives its place to the one that evens the others best.
 * Lists that are balanced in themselves (two programs of one length) are thus not preferred to two
 * that balance each other.
 */
function takeBalanced(lists: readonly SplitList[], count: number, random: () => number): SplitList[] {
  const ordered = inTurn(lists, random);
  const taken = ordered.slice(0, count);
  const left = new Set(ordered.slice(count));
  const imbalance = new Imbalance();
  for (const list of taken) imbalance.change(list, 1);
  for (let step = 0; step < taken.length * ROUNDS; step++) {
    const place = step % taken.length;
    let best = taken[place] as SplitList;
    imbalance.change(best, -1);
    let minGrowth = imbalance.growth(best) - 1e-9;
    left.add(best);
    for (const list of left) {
      const growth = imbalance.growth(list);
      if (growth < minGrowth) [best, minGrowth] = [list, growth];
    }
    left.delete(best);
    imbalance.change(best, 1);
    taken[place] = best;
  }
  return taken;
}

/**
 * The lists of each split that stay. Within a split and bucket every cell (length and language)
 * keeps the same number: what the size asks for, or when `level` is set and a cell that is not
 * empty has fewer, as many as that one.
 */
export function evenCells(
  lists: readonly SplitList[],
  sizes: CellSizes,
  { seed, level }: { seed: number; level: boolean },
): SplitList[] {
  const parts = Map.groupBy(lists, ({ split, bucket, strength }) =>
    JSON.stringify(strength === "strong" ? [split, bucket, strength] : [split, bucket]),
  );
  return [...parts].flatMap(([part, ofPart]) => {
    const cells = Map.groupBy(ofPart, (list) => JSON.stringify([lengthOf(list), list.language]));
    const fewest = Math.min(...[...cells.values()].map((cell) => cell.length));
    return [...cells].flatMap(([cell, ofCell]) => {
      const size = sizes[(ofCell[0] as SplitList).split];
      const random = createRandom(hashText("cells", seed, part, cell));
      return takeBalanced(ofCell, level ? Math.min(size, fewest) : size, random);
    });
  });
}

/** How many lists each cell holds, in the order of split, bucket, length and language. */
export function countCells(
  lists: readonly { split: Split; bucket: Cell["bucket"]; language: string; candidates: readonly unknown[] }[],
): Cell[] {
  const cells = Map.groupBy(lists, ({ split, bucket, candidates, language }) =>
    JSON.stringify([split, bucket, candidates.length, language]),
  );
  return [...cells]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { length: rows }]) => {
      const [split, bucket, length, language] = JSON.parse(key) as [Split, Cell["bucket"], number, string];
      return { split, bucket, length, language, rows };
    });
}
