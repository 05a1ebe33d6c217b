// The order in which the questions of a wave are sent: at any moment, those sent cover all candidates as evenly
// as possible.

import { comparedIn, type Presentation } from "../asking/questions.ts";
import type { ContentKey } from "../candidate/classes.ts";
import { evenPairs } from "./even-pairs.ts";
import { seededOrder } from "./match-order.ts";

type ShownMembers = Pick<Presentation, "shown">;

/** Questions that show the same candidates, in whatever order, those left to be asked. */
interface OpenSubset<T> {
  members: readonly number[];
  left: T[];
}

/** The order of one signal's questions of one group: earlier questions count. */
export class EvenOrder {
  private readonly keys: readonly ContentKey[];
  /** By candidate: questions that showed it, and that showed it first. */
  private readonly times: number[] = [];
  private readonly firsts: number[] = [];

  /** @param keys one a candidate */
  constructor(keys: readonly ContentKey[]) {
    this.keys = keys;
  }

  /**
   * The same questions: each candidate's next before any candidate's one more, new opponents before the same
   * again, and of two orders the one that shows first who was first less often. Equals keep the schedule's
   * order, which depends on contents; all pairs, and lone candidates, go by theirs.
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

  /** All pairs and lone candidates are listed by their places: they go by contents instead. */
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

  /** Each subset once. */
  private *round<T>(all: readonly OpenSubset<T>[]): Generator<OpenSubset<T>> {
    let open = [...all];
    while (open.length > 0) {
      const { minAsked, behind } = this.leastAsked(open);
      // Those of whom all are among the least asked, as long as any are; the others keep their
      // places.
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
      // Who is left behind meets somebody who is ahead, and of these one who is asked least.
      while (behind.size > 0) {
        const next = this.forOneOf(behind, open);
        open.splice(open.indexOf(next), 1);
        for (const i of next.members) behind.delete(i);
        yield next;
      }
    }
  }

  /** How often the least asked of some subsets were asked, and who they are. */
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

  /** The subset of one of these who are behind, of which all were asked least. */
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
