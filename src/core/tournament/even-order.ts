// The order in which the questions of a wave are sent. Guarantees that the questions sent so far cover all
// candidates as evenly as possible, since a deadline may cut the wave short.

import { comparedIn, type Presentation } from "../asking/questions.ts";
import type { ContentKey } from "../candidate/classes.ts";
import { evenPairs } from "./even-pairs.ts";
import { seededOrder } from "./match-order.ts";

type ShownMembers = Pick<Presentation, "shown">;

/** The unsent questions about one set of candidates, in any order. */
interface OpenSubset<T> {
  members: readonly number[];
  left: T[];
}

/** Orders the questions of one signal in one group. Questions from earlier calls count toward evenness. */
export class EvenOrder {
  private readonly keys: readonly ContentKey[];
  /** Per candidate: number of questions that showed it, and number that showed it first. */
  private readonly times: number[] = [];
  private readonly firsts: number[] = [];

  /** @param keys one content key per candidate */
  constructor(keys: readonly ContentKey[]) {
    this.keys = keys;
  }

  /**
   * Returns the same questions in an even order. Candidates alternate, new opponents come before repeated
   * ones, and of the two orders of a pair, the one whose first candidate has been shown first less often is
   * preferred. Ties keep the schedule's order, which depends on contents. Waves of all pairs or of single
   * candidates are first put into an order derived from contents.
   */
  arrange<T>(line: readonly T[], shownOf: (question: T) => ShownMembers): T[] {
    const bySubset = new Map<string, OpenSubset<T>>();
    for (const question of line) {
      const { shown } = shownOf(question);
      const name = comparedIn({ shown });
      const subset = bySubset.get(name) ?? { members: shown, left: [] };
      subset.left.push(question);
      bySubset.set(name, subset);
    }
    const ordered: T[] = [];
    for (
      let open = this.byContent([...bySubset.values()]);
      open.length > 0;
      open = open.filter(({ left }) => left.length > 0)
    ) {
      for (const subset of this.round(open)) ordered.push(this.draw(subset, shownOf));
    }
    return ordered;
  }

  /** Waves of all pairs or of single candidates come in index order, so they are reordered by content. */
  private byContent<T>(all: readonly OpenSubset<T>[]): readonly OpenSubset<T>[] {
    const members = [...new Set(all.flatMap((subset) => subset.members))];
    const n = members.length;
    const pairs = all.length === (n * (n - 1)) / 2 && all.every((subset) => subset.members.length === 2);
    if (!pairs && all.some((subset) => subset.members.length > 1)) return all;
    const line = seededOrder(members, this.keys, 0);
    const byName = new Map(all.map((subset) => [comparedIn({ shown: subset.members }), subset]));
    const names = pairs ? evenPairs(n).map((pair) => pair.map((place) => line[place] as number)) : line.map((i) => [i]);
    return names.flatMap((shown) => byName.get(comparedIn({ shown })) ?? []);
  }

  /** Yields each subset once. */
  private *round<T>(all: readonly OpenSubset<T>[]): Generator<OpenSubset<T>> {
    let open = [...all];
    while (open.length > 0) {
      const { minAsked, behind } = this.leastAsked(open);
      // First the subsets whose members are all among the least asked; the other subsets keep their
      // positions.
      const later: OpenSubset<T>[] = [];
      let at = 0;
      for (; at < open.length && behind.size > 0; at++) {
        const subset = open[at] as OpenSubset<T>;
        if (subset.members.some((i) => this.asked(i) > minAsked)) later.push(subset);
        else {
          for (const i of subset.members) behind.delete(i);
          yield subset;
        }
      }
      open = [...later, ...open.slice(at)];
      // Pair each remaining least-asked candidate with one that has more questions, choosing the least-asked
      // opponent.
      while (behind.size > 0) {
        const next = this.forOneOf(behind, open);
        open.splice(open.indexOf(next), 1);
        for (const i of next.members) behind.delete(i);
        yield next;
      }
    }
  }

  /** The lowest number of questions per candidate among the subsets, and the candidates that have it. */
  private leastAsked(open: readonly OpenSubset<unknown>[]): { minAsked: number; behind: Set<number> } {
    let minAsked = Number.POSITIVE_INFINITY;
    let behind = new Set<number>();
    for (const { members } of open) {
      for (const i of members) {
        const times = this.asked(i);
        if (times < minAsked) [minAsked, behind] = [times, new Set()];
        if (times === minAsked) behind.add(i);
      }
    }
    return { minAsked, behind };
  }

  /** The subset that contains a candidate of `behind` and has the fewest questions in total. */
  private forOneOf<T>(behind: ReadonlySet<number>, open: readonly OpenSubset<T>[]): OpenSubset<T> {
    let best: OpenSubset<T> | null = null;
    let cost = Number.POSITIVE_INFINITY;
    for (const subset of open) {
      if (!subset.members.some((i) => behind.has(i))) continue;
      const subsetCost = subset.members.reduce((sum, i) => sum + this.asked(i), 0);
      if (subsetCost < cost) [best, cost] = [subset, subsetCost];
    }
    return best as OpenSubset<T>;
  }

  private draw<T>({ left }: OpenSubset<T>, shownOf: (question: T) => ShownMembers): T {
    const lead = (waiting: T) => this.firsts[shownOf(waiting).shown[0] as number] ?? 0;
    const next = left.reduce((best, other) => (lead(other) < lead(best) ? other : best));
    left.splice(left.indexOf(next), 1);
    const { shown } = shownOf(next);
    const [first] = shown as [number];
    for (const i of shown) this.times[i] = this.asked(i) + 1;
    this.firsts[first] = lead(next) + 1;
    return next;
  }

  private asked(i: number): number {
    return this.times[i] ?? 0;
  }
}
