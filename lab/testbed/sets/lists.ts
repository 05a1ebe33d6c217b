// How lists are drawn from measured candidates: one right program and wrong ones of different pass rates.
// Pure; knows no split and no file.
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import type { PoolCandidate } from "../format/pool-format.ts";
import { BUCKETS } from "../format/set-format.ts";
import { type Credits, createCredits, SHORTCUTS } from "./shortcuts.ts";

export type Bucket = (typeof BUCKETS)[number];

/**
 * The pass rates that the wrong programs of a bucket's lists have, both ends included (Aletheia,
 * arXiv 2601.12186).
 */
export const BUCKET_BOUNDS: Record<Bucket, readonly [low: number, high: number]> = { easy: [0, 0.5], hard: [0.7, 0.9] };

/** The bucket a wrong program of this pass rate belongs to; null for one between or beyond them. */
export function bucketOf(pass_rate: number): Bucket | null {
  const found = BUCKETS.find(
    (bucket) => pass_rate >= BUCKET_BOUNDS[bucket][0] && pass_rate <= BUCKET_BOUNDS[bucket][1],
  );
  return found ?? null;
}

/** A list before it has a split: the candidates in the order they are shown. */
export interface DrawnList {
  bucket: Bucket;
  problem_id: string;
  language: string;
  generator: string;
  candidates: readonly PoolCandidate[];
  credits: Credits;
}

export interface DrawOptions {
  seed: number;
  /**
   * Lists drawn of each problem, language, generator, bucket, length and kind, where a kind is the
   * set of shortcuts that do better than chance on a list.
   */
  per_source_max: number;
}

type Measured = PoolCandidate & { pass_rate: number };

const isMeasured = (candidate: PoolCandidate): candidate is Measured => candidate.pass_rate !== null;

/**
 * Draws for each list wanted before the rest is given up: repeats, and lists of a kind that there
 * are enough of, are thrown away.
 */
const DRAWS_PER_LIST = 60;

type Draw = Pick<DrawnList, "credits"> & { candidates: readonly Measured[] };

/**
 * The lists of one source and length: distinct pass rates, then one program of each, in a seeded
 * order.
 */
function drawLength(
  right: readonly Measured[],
  byRate: ReadonlyMap<number, readonly Measured[]>,
  length: number,
  {
    per_source_max,
    random,
    creditsOf,
  }: { per_source_max: number; random: () => number; creditsOf: (list: readonly Measured[]) => Credits },
): Draw[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const rates = [...byRate.keys()].sort((a, b) => a - b);
  const lists: Draw[] = [];
  const drawn = new Set<string>();
  const counts = new Map<string, number>();
  for (let draw = 0; draw < per_source_max * DRAWS_PER_LIST; draw++) {
    const chosen = shuffled(rates, random).slice(0, length - 1);
    const candidates = shuffled([pick(right), ...chosen.map((rate) => pick(byRate.get(rate) ?? []))], random);
    const ids = candidates.map(({ candidate_id }) => candidate_id);
    const key = ids.sort().join(" ");
    if (drawn.has(key)) continue;
    drawn.add(key);
    const credits = creditsOf(candidates);
    const kind = SHORTCUTS.filter((shortcut) => credits[shortcut] > 1 / length).join(" ");
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= per_source_max) lists.push({ candidates, credits });
  }
  return lists;
}

/**
 * Lists of 2 to 5 candidates of one problem, language and generator: exactly one of pass rate 1,
 * the others of different pass rates within the bucket. Longer lists need as many different pass
 * rates as there are; sources that have fewer give only shorter lists. What is drawn of one source
 * depends on the seed and that source alone.
 */
export function drawLists(candidates: readonly PoolCandidate[], { seed, per_source_max }: DrawOptions): DrawnList[] {
  const sources = Map.groupBy(candidates.filter(isMeasured), ({ problem_id, language, generator }) =>
    JSON.stringify([problem_id, language, generator]),
  );
  return [...sources].flatMap(([source, members]) => {
    const right = members.filter(({ pass_rate }) => pass_rate === 1);
    const [first] = right;
    if (first === undefined) return [];
    const { problem_id, language, generator } = first;
    const creditsOf = createCredits();
    return BUCKETS.flatMap((bucket) => {
      const wrong = members.filter(({ pass_rate }) => bucketOf(pass_rate) === bucket);
      const byRate = Map.groupBy(wrong, ({ pass_rate }) => pass_rate);
      const longest = Math.min(LIMITS.list_candidates_max, byRate.size + 1);
      const lists: DrawnList[] = [];
      for (let length = LIMITS.list_candidates_min; length <= longest; length++) {
        const random = createRandom(hashText("lists", seed, source, bucket, length));
        for (const draw of drawLength(right, byRate, length, { per_source_max, random, creditsOf })) {
          lists.push({ bucket, problem_id, language, generator, ...draw });
        }
      }
      return lists;
    });
  });
}
