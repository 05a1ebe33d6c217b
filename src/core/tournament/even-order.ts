// Owns in which order the questions of a wave leave, so that at any moment what was asked covers
// all candidates as evenly as it can. Knows no schedule: it changes no wave, only who waits.
import type { ContentKey } from "../candidate/classes.ts";
import { comparedIn, type Showing } from "../judges/questions.ts";
import { evenPairs } from "./even-pairs.ts";
import { seededOrder } from "./match-order.ts";

type Shown = Pick<Showing, "shown">;

/** Questions that show the same candidates, in whatever order, those left to be asked. */
interface Company<T> {
  members: readonly number[];
  left: T[];
}

/** Of one signal of one group: what left before counts. */
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
   * The same questions: everyone's next before anyone's one more, new company before the same
   * again, and of two orders the one that shows first who was first less often. Among equals they
   * stay as the schedule lists them, which hangs on contents; all pairs, and lone candidates, go by
   * theirs.
   */
  of<T>(line: readonly T[], shownOf: (one: T) => Shown): T[] {
    const byCompany = new Map<string, Company<T>>();
    for (const one of line) {
      const { shown } = shownOf(one);
      const name = comparedIn({ shown });
      const company = byCompany.get(name) ?? { members: shown, left: [] };
      company.left.push(one);
      byCompany.set(name, company);
    }
    const ordered: T[] = [];
    for (
      let open = this.byContent([...byCompany.values()]);
      open.length > 0;
      open = open.filter(({ left }) => left.length > 0)
    ) {
      for (const company of this.round(open)) ordered.push(this.draw(company, shownOf));
    }
    return ordered;
  }

  /** All pairs and lone candidates are listed by their places: they go by contents instead. */
  private byContent<T>(all: readonly Company<T>[]): readonly Company<T>[] {
    const members = [...new Set(all.flatMap((company) => company.members))];
    const n = members.length;
    const pairs = all.length === (n * (n - 1)) / 2 && all.every((company) => company.members.length === 2);
    if (!pairs && all.some((company) => company.members.length > 1)) return all;
    const line = seededOrder(members, this.keys, 0);
    const byName = new Map(all.map((company) => [comparedIn({ shown: company.members }), company]));
    const names = pairs ? evenPairs(n).map((pair) => pair.map((place) => line[place] as number)) : line.map((i) => [i]);
    return names.flatMap((shown) => byName.get(comparedIn({ shown })) ?? []);
  }

  /** Each company once. */
  private *round<T>(all: readonly Company<T>[]): Generator<Company<T>> {
    let open = [...all];
    while (open.length > 0) {
      const { least, behind } = this.leastAsked(open);
      // Those of whom all are among the least asked, as long as any are; the others keep their
      // places.
      const later: Company<T>[] = [];
      let at = 0;
      for (; at < open.length && behind.size > 0; at++) {
        const company = open[at] as Company<T>;
        if (company.members.some((i) => this.asked(i) > least)) later.push(company);
        else {
          for (const i of company.members) behind.delete(i);
          yield company;
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

  /** How often the least asked of some companies were asked, and who they are. */
  private leastAsked(open: readonly Company<unknown>[]): { least: number; behind: Set<number> } {
    let least = Number.POSITIVE_INFINITY;
    let behind = new Set<number>();
    for (const { members } of open) {
      for (const i of members) {
        const own = this.asked(i);
        if (own < least) [least, behind] = [own, new Set()];
        if (own === least) behind.add(i);
      }
    }
    return { least, behind };
  }

  /** The company of one of these who are behind, of which all were asked least. */
  private forOneOf<T>(behind: ReadonlySet<number>, open: readonly Company<T>[]): Company<T> {
    let best: Company<T> | null = null;
    let cost = Number.POSITIVE_INFINITY;
    for (const company of open) {
      if (!company.members.some((i) => behind.has(i))) continue;
      const own = company.members.reduce((sum, i) => sum + this.asked(i), 0);
      if (own < cost) [best, cost] = [company, own];
    }
    return best as Company<T>;
  }

  private draw<T>({ left }: Company<T>, shownOf: (one: T) => Shown): T {
    const lead = (one: T) => this.firsts[shownOf(one).shown[0] as number] ?? 0;
    const one = left.reduce((best, other) => (lead(other) < lead(best) ? other : best));
    left.splice(left.indexOf(one), 1);
    const { shown } = shownOf(one);
    const [first] = shown as [number];
    for (const i of shown) this.times[i] = this.asked(i) + 1;
    this.firsts[first] = lead(one) + 1;
    return one;
  }

  private asked(i: number): number {
    return this.times[i] ?? 0;
  }
}
