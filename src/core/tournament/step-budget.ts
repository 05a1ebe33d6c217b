// Owns one budget for all groups of a request: which groups' next waves it pays, by what they are
// expected to tell. Knows no verifier and no time.

import { type ContentKey, compareKeys } from "../candidate/classes.ts";

/** A group's next wave of questions. */
export interface WaitingWave {
  /** The group's candidates, which decide between waves that tell as much. */
  keys: readonly ContentKey[];
  /** Generations, or the tokens that they may come to. */
  cost: number;
  /** What its answers are expected to tell of the order; infinite of what nothing may go before. */
  worth: number;
}

/** Waves that tell so much of what the best tells are asked beside it, so that rounds are few. */
const BESIDE_THE_BEST = 0.5;

/**
 * One round, with nothing of the request in flight: the waves that tell most for what they cost are
 * paid, in that order, as long as they can be. What cannot be paid now cannot be later.
 * @param left what the budget still has, in the unit of `cost`
 * @returns which waves are asked, and which never are; the others wait for the next round
 */
export function payRound<W extends WaitingWave>(waves: readonly W[], left: number): { paid: W[]; refused: W[] } {
  const rate = ({ worth, cost }: W) => worth / Math.max(1, cost);
  const order = (a: W, b: W) => (rate(a) === rate(b) ? byContent(a, b) : rate(b) - rate(a));
  const paid: W[] = [];
  const refused = waves.filter(({ cost }) => cost > left);
  const line = waves.filter(({ cost }) => cost <= left).sort(order);
  const least = line.length === 0 ? 0 : rate(line[0] as W) * BESIDE_THE_BEST;
  let rest = left;
  for (const wave of line) {
    if (rate(wave) < least || wave.cost > rest) continue;
    rest -= wave.cost;
    paid.push(wave);
  }
  return { paid, refused };
}

function byContent(a: WaitingWave, b: WaitingWave): number {
  const first = a.keys.findIndex((key, i) => b.keys[i] === undefined || compareKeys(key, b.keys[i]) !== 0);
  if (first < 0) return a.keys.length - b.keys.length;
  const other = b.keys[first];
  return other === undefined ? 1 : compareKeys(a.keys[first] as ContentKey, other);
}
