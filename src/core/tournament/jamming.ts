// Finds jammers: candidates whose presence makes verdicts unreadable. Does not deal with rewards:
// group-result.ts decides the consequences.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import { log } from "../math/elementary.ts";

/**
 * Probability of an unreadable verdict with a jammer and without one, and the log odds that one unreadable or
 * readable verdict adds.
 */
const UNREADABLE_WITH = 0.9;
const UNREADABLE_WITHOUT = 0.1;
const UNREAD = log(UNREADABLE_WITH / UNREADABLE_WITHOUT);
const READ = log((1 - UNREADABLE_WITH) / (1 - UNREADABLE_WITHOUT));
/**
 * Prior log odds against the first jammer, and against each further one. Further jammers are likelier, since
 * one policy wrote all rollouts.
 */
const FIRST = 3;
const NEXT = 1;
/**
 * Maximum number of classes (distinct candidates) for an exhaustive search; larger groups use the greedy
 * search `grown`.
 */
const EXACT_MAX = 11;
/** Share of unreadable verdicts that indicates a broken verifier, for which no candidate is blamed. */
const UNREADABLE_BROKEN = 0.7;
/** Minimum share of a jammer's verdicts that are unreadable, in questions without other suspects. */
const SHARE_WITH = 0.5;

/**
 * Minimum log odds for a suspect (whose questions are repeated without it) and for a confirmed jammer. If two
 * other candidates have one readable verdict between them, the log odds are 3.2; with two more readable
 * verdicts, 7.6.
 */
const SUSPECTED = 3.1;
export const FOUND = 5.5;

/** Answers to all questions that show the same candidates. */
interface SubsetReadings {
  members: readonly number[];
  unread: number;
  answered: number;
  /** Log odds that one of the members is a jammer. */
  weight: number;
}

interface Suspicion {
  /** The likeliest set of jammers, indexed by class. */
  jams: readonly boolean[];
  /**
   * Per class: log odds of the likeliest explanation that includes the class over the likeliest that does
   * not.
   */
  odds: readonly number[];
  subsets: readonly SubsetReadings[];
}

function subsetsOf(asked: readonly AskedQuestion[]): SubsetReadings[] {
  const byName = new Map<string, { members: number[]; unread: number; answered: number }>();
  for (const { question, readings } of asked) {
    if (question.purpose.kind === "fit") continue;
    const name = comparedIn(question);
    const subset = byName.get(name) ?? { members: [...new Set(question.shown)], unread: 0, answered: 0 };
    byName.set(name, subset);
    for (const reading of readings) {
      const isUnread = isUnparsed(reading) || reading.code === "content_filtered";
      if (reading.status === null && !isUnread) continue;
      subset.answered++;
      if (isUnread) subset.unread++;
    }
  }
  return [...byName.values()].flatMap((subset) =>
    subset.answered === 0
      ? []
      : [{ ...subset, weight: subset.unread * UNREAD + (subset.answered - subset.unread) * READ }],
  );
}

const against = (jammers: number): number => (jammers === 0 ? 0 : FIRST + (jammers - 1) * NEXT);

/** The best explanation overall, and for each class the best one with it and the best one without it. */
interface Best {
  gain: number;
  jams: boolean[];
  with: number[];
  without: number[];
}

const noneYet = (n: number): Best => ({
  gain: 0,
  jams: new Array<boolean>(n).fill(false),
  with: new Array<number>(n).fill(Number.NEGATIVE_INFINITY),
  without: new Array<number>(n).fill(0),
});

function consider(best: Best, gain: number, jams: (v: number) => boolean): void {
  const { length } = best.jams;
  for (let v = 0; v < length; v++) {
    const side = jams(v) ? best.with : best.without;
    if (gain > (side[v] as number)) side[v] = gain;
  }
  if (gain <= best.gain) return;
  best.gain = gain;
  best.jams = best.jams.map((_, v) => jams(v));
}

/** Exhaustive search over every set of jammers. */
function exactly(n: number, subsets: readonly SubsetReadings[]): Best {
  const best = noneYet(n);
  const masks = subsets.map(({ members }) => members.reduce((mask, v) => mask | (1 << v), 0));
  for (let set = 1; set < 1 << n; set++) {
    let gain = 0;
    let size = 0;
    for (let v = 0; v < n; v++) size += (set >> v) & 1;
    for (const [q, mask] of masks.entries()) if ((mask & set) !== 0) gain += (subsets[q] as SubsetReadings).weight;
    consider(best, gain - against(size), (v) => ((set >> v) & 1) === 1);
  }
  return best;
}

/** The candidate with the most readable verdicts alongside the current honest set; -1 if none fits. */
function bestNext(honest: Uint8Array, gains: Float64Array, reads: readonly number[]): number {
  let next = -1;
  for (let v = 0; v < honest.length; v++) {
    if (honest[v] === 1 || (gains[v] as number) + NEXT <= 0) continue;
    const ahead = next < 0 ? 1 : (gains[v] as number) - (gains[next] as number);
    if (ahead > 0 || (ahead === 0 && (reads[v] as number) > (reads[next] as number))) next = v;
  }
  return next;
}

/**
 * Greedy search: starting from each class, grows the honest set with the best-fitting classes; the remaining
 * classes are jammers. Exact for noise-free verdicts if every honest candidate had a readable verdict
 * together with another honest one: starting there collects all honest candidates and no jammer.
 */
function grown(n: number, subsets: readonly SubsetReadings[]): Best {
  const best = noneYet(n);
  const whole = subsets.reduce((sum, { weight }) => sum + weight, 0);
  const subsetsByMember = Array.from({ length: n }, () => [] as number[]);
  for (const [q, { members }] of subsets.entries()) for (const v of members) (subsetsByMember[v] as number[]).push(q);
  const reads = subsetsByMember.map((questions) =>
    questions.reduce((sum, q) => sum - Math.min(0, (subsets[q] as SubsetReadings).weight), 0),
  );
  for (let start = 0; start < n; start++) {
    const honest = new Uint8Array(n);
    const open = subsets.map(({ members }) => members.length);
    const gains = new Float64Array(n);
    let covered = whole;
    let left = n;
    for (let next = start; next >= 0; ) {
      honest[next] = 1;
      left--;
      for (const q of subsetsByMember[next] as number[]) {
        const { members, weight } = subsets[q] as SubsetReadings;
        open[q] = (open[q] as number) - 1;
        if (open[q] === 0) covered -= weight;
        else if (open[q] === 1) for (const v of members) if (honest[v] === 0) gains[v] = (gains[v] as number) - weight;
      }
      next = bestNext(honest, gains, reads);
    }
    consider(best, covered - against(left), (v) => honest[v] === 0);
    // Try to move each remaining class back into the honest set on its own.
    for (let v = 0; v < n; v++) {
      if (honest[v] === 1) continue;
      const gain = covered + (gains[v] as number) - against(left - 1);
      if (gain > (best.without[v] as number)) best.without[v] = gain;
    }
    // Try to move each class of the honest set out again on its own.
    for (let v = 0; v < n; v++) {
      if (honest[v] === 0) continue;
      const weight = (subsetsByMember[v] as number[]).reduce(
        (sum, q) => sum + (open[q] === 0 ? (subsets[q] as SubsetReadings).weight : 0),
        0,
      );
      const gain = covered + weight - against(left + 1);
      if (gain > (best.with[v] as number)) best.with[v] = gain;
    }
  }
  return best;
}

/**
 * Finds suspected jammers: the likeliest set of classes such that every unreadable question shows at least
 * one of them and few readable questions do. Verdicts on a jammer are unreadable with probability 0.9, others
 * with probability 0.1, independently of each other; the prior log odds of a set of k jammers are -(3 + (k -
 * 1)). The result is a likelihood ratio, so the order of questions and classes does not matter. If some
 * verdict is unreadable, content filter refusals count as unreadable too; otherwise neither this function nor
 * attribution.ts would find a candidate that causes both. Exact for up to 11 classes; O(n (n^2 + questions))
 * beyond.
 */
export function suspicion(classCount: number, asked: readonly AskedQuestion[]): Suspicion {
  const subsets = subsetsOf(asked);
  if (!asked.some(({ readings }) => readings.some(isUnparsed))) {
    const none = new Array<boolean>(classCount).fill(false);
    return { jams: none, odds: none.map(() => Number.NEGATIVE_INFINITY), subsets };
  }
  const best = classCount <= EXACT_MAX ? exactly(classCount, subsets) : grown(classCount, subsets);
  return { jams: best.jams, odds: best.with.map((gain, v) => gain - (best.without[v] as number)), subsets };
}

const isSound = (read: number, unread: number): boolean =>
  unread * log(UNREADABLE_WITHOUT / UNREADABLE_BROKEN) +
    read * log((1 - UNREADABLE_WITHOUT) / (1 - UNREADABLE_BROKEN)) >
  0;

/** Number of verdicts, and of unreadable verdicts, in questions whose members all satisfy `isIn`. */
function verdictsAmong(subsets: readonly SubsetReadings[], isIn: (member: number) => boolean) {
  const among = subsets.filter(({ members }) => members.every(isIn));
  const sum = (field: "answered" | "unread") => among.reduce((all, subset) => all + subset[field], 0);
  return { answered: sum("answered"), unread: sum("unread") };
}

/**
 * Classes whose presence makes verdicts fail, each with log odds of at least `minOdds`: the unreadable
 * verdicts cannot be explained without them. For each class returned, at least half of the verdicts in
 * questions without other suspects are unreadable. Empty if no verdict was readable without them, if the
 * readings fit a broken verifier (0.7 unreadable) better than a sound one (0.1), or if several explanations
 * are equally likely: two rollouts, or a single list, without any readable verdict.
 */
export function jammers(classCount: number, asked: readonly AskedQuestion[], minOdds = SUSPECTED): ReadonlySet<number> {
  const { odds, subsets } = suspicion(classCount, asked);
  const suspects = new Set(odds.flatMap((odd, v) => (odd >= minOdds ? [v] : [])));
  const found = new Set(
    [...suspects].filter((v) => {
      const beside = (member: number) => member === v || !suspects.has(member);
      const memberVerdicts = verdictsAmong(
        subsets.filter(({ members }) => members.includes(v)),
        beside,
      );
      return memberVerdicts.unread > 0 && memberVerdicts.unread >= SHARE_WITH * memberVerdicts.answered;
    }),
  );
  const { answered, unread } = verdictsAmong(subsets, (member) => !found.has(member));
  return answered > unread && isSound(answered - unread, unread) ? found : new Set();
}
