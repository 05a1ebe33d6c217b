// The last pairs of a schedule that looks for the best. Guarantees, for a judge that does not
// contradict itself and within the number of pairs that they may ask, that whoever lost to no
// opponent meets the leader.
import type { Match, Outcomes } from "./schedule.ts";

/** The pairs that a schedule has asked, and how many more its finals may ask. */
export class AskedPairs {
  private readonly opponents = new Map<number, Set<number>>();
  private open: number;

  constructor(finalsMax = 0) {
    this.open = finalsMax;
  }

  /** Notes a wave as asked. Returns it. */
  add(wave: readonly Match[]): readonly Match[] {
    for (const [i, j] of wave as readonly (readonly [number, number])[]) {
      this.opponentsOf(i).add(j);
      this.opponentsOf(j).add(i);
    }
    return wave;
  }

  /** The candidates that i was asked against. */
  opponentsOf(i: number): Set<number> {
    const met = this.opponents.get(i) ?? new Set();
    this.opponents.set(i, met);
    return met;
  }

  /** Whether something was decided about i, and no opponent beat it. */
  isUnbeaten(i: number, outcomes: Outcomes): boolean {
    const known = [...this.opponentsOf(i)].flatMap((j) => outcomes(i, j) ?? []);
    return known.length > 0 && known.every((earned) => earned >= 0.5);
  }

  /**
   * Knock-out rounds: in a line, best first, each takes the next that it has not met, until the line
   * has no such pair left.
   * @param lineOf who is left, given what is known and the pairs of the last round
   * @returns what is known after the last round
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
   * The leader of a standing, best first, and after it whoever lost to no opponent and has not met the
   * leader. A leader that an unbeaten candidate beat gives way to it.
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

/** Candidates by a value, the most first; equals as they stand. */
export function standingBy(line: readonly number[], value: (i: number) => number): number[] {
  const known = new Map(line.map((i) => [i, value(i)]));
  return [...line].sort((a, b) => (known.get(b) as number) - (known.get(a) as number));
}
