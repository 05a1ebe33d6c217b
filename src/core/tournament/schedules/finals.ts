// Finals: the last pairs of a schedule that searches for the best candidate. If the judge is consistent and
// the pair limit allows it, every unbeaten candidate meets the leader.
import type { Match, Outcomes } from "./schedule.ts";

/** Pairs already asked by a schedule, and the number of pairs that its finals may still ask. */
export class AskedPairs {
  private readonly opponents = new Map<number, Set<number>>();
  private open: number;

  constructor(finalsMax = 0) {
    this.open = finalsMax;
  }

  /** Records a wave as asked and returns it. */
  add(wave: readonly Match[]): readonly Match[] {
    for (const [i, j] of wave as readonly (readonly [number, number])[]) {
      this.opponentsOf(i).add(j);
      this.opponentsOf(j).add(i);
    }
    return wave;
  }

  /** Candidates that i was compared with. */
  opponentsOf(i: number): Set<number> {
    const met = this.opponents.get(i) ?? new Set();
    this.opponents.set(i, met);
    return met;
  }

  /** Whether i has at least one decided pair and has lost none. */
  isUnbeaten(i: number, outcomes: Outcomes): boolean {
    const known = [...this.opponentsOf(i)].flatMap((j) => outcomes(i, j) ?? []);
    return known.length > 0 && known.every((earned) => earned >= 0.5);
  }

  /**
   * Yields knock-out rounds: candidates are taken best first, and each is paired with the next one that it
   * has not met. Ends when no such pair is left or the pair limit is reached.
   * @param lineOf returns the remaining candidates, best first, given the outcomes so far and the pairs of
   *   the last round
   * @returns the outcomes after the last round
   */
  *finals(
    lineOf: (outcomes: Outcomes, round: readonly Match[]) => readonly number[],
    outcomes: Outcomes,
  ): Generator<readonly Match[], Outcomes, Outcomes> {
    let known = outcomes;
    let round: readonly Match[] = [];
    for (;;) {
      round = this.paired(lineOf(known, round)).slice(0, this.open);
      if (round.length === 0) return known;
      this.open -= round.length;
      known = yield this.add(round);
    }
  }

  /**
   * The leader of a ranking (best first), followed by the unbeaten candidates that have not met the leader.
   * The leader is an unbeaten candidate that beat the first of the ranking, if there is one, else the first.
   */
  contenders(ranking: readonly number[], outcomes: Outcomes): readonly number[] {
    const unbeaten = ranking.filter((i) => this.isUnbeaten(i, outcomes));
    const [first] = ranking;
    if (first === undefined) return [];
    const leader = unbeaten.find((i) => this.opponentsOf(i).has(first) && (outcomes(i, first) ?? 0) > 0.5) ?? first;
    return [leader, ...unbeaten.filter((i) => i !== leader && !this.opponentsOf(leader).has(i))];
  }

  private paired(line: readonly number[]): Match[] {
    const open = [...line];
    const pairs: Match[] = [];
    for (let a = open.shift(); a !== undefined; a = open.shift()) {
      const at = open.findIndex((b) => !this.opponentsOf(a as number).has(b));
      if (at >= 0) pairs.push([a, open.splice(at, 1)[0] as number]);
    }
    return pairs;
  }
}

/** Sorts candidates by a value, highest first; equal values keep their order. */
export function standingBy(line: readonly number[], value: (i: number) => number): number[] {
  const known = new Map(line.map((i) => [i, value(i)]));
  return [...line].sort((a, b) => (known.get(b) as number) - (known.get(a) as number));
}
