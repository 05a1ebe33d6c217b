// Computes from the readings of the study how right, how stable and how expensive each way of asking is.
import { kendallTauB } from "../../src/core/math/tau-b.ts";
import { type GroupReadings, meanOf, type Reading } from "./arms.ts";

/** A line of the report: a mean and the number of its observations; null without any. */
export interface Measure {
  name: string;
  value: number | null;
  count: number;
  /** Describes the figure in a few words. */
  says: string;
}

/** P(i is better than j) by pair, i < j: the mean of both places; null where one is missing. */
function byPair(readings: readonly Reading[]): Map<string, number | null> {
  const seen = new Map<string, (number | null)[]>();
  for (const { i, j, p } of readings) {
    const key = i < j ? `${i},${j}` : `${j},${i}`;
    const value = p === null ? null : i < j ? p : 1 - p;
    seen.set(key, [...(seen.get(key) ?? []), value]);
  }
  return new Map([...seen].map(([key, values]) => [key, meanOf(values)]));
}

const indices = (key: string): [number, number] => key.split(",").map(Number) as [number, number];

/** Mean share of its pairs that each candidate wins; null where a pair is missing. */
function winsOf(pairs: ReadonlyMap<string, number | null>, count: number): number[] | null {
  const sums = new Array<number>(count).fill(0);
  for (const [key, p] of pairs) {
    if (p === null) return null;
    const [i, j] = indices(key);
    sums[i] = (sums[i] as number) + p;
    sums[j] = (sums[j] as number) + 1 - p;
  }
  // Sums in another order differ in their last bits, which must not part equals.
  return sums.map((sum) => Number(sum.toFixed(9)));
}

const rounded = (readings: readonly Reading[], decimals: number): Reading[] =>
  readings.map((reading) => ({ ...reading, p: reading.p === null ? null : Number(reading.p.toFixed(decimals)) }));

/** tau-b of a group's wins against its truth. */
function tauOf({ group }: GroupReadings, readings: readonly Reading[]): number | null {
  const wins = winsOf(byPair(readings), group.texts.length);
  return wins === null ? null : kendallTauB(wins, group.truth).tau;
}

/** Whether the better of a pair has more than half, for pairs whose truth differs; a half counts half. */
function rightIn({ group }: GroupReadings, readings: readonly Reading[]): (number | null)[] {
  return [...byPair(readings)].flatMap(([key, p]) => {
    const [i, j] = indices(key);
    const better = (group.truth[i] as number) - (group.truth[j] as number);
    if (better === 0) return [];
    if (p === null || p === 0.5) return [p === null ? null : 0.5];
    return [p > 0.5 === better > 0 ? 1 : 0];
  });
}

/** By pair: |p - q| of two ways of asking, where both are known. */
function apart(readings: readonly Reading[], other: readonly Reading[]): number[] {
  const known = new Map(other.map(({ i, j, p }) => [`${i},${j}`, p]));
  return readings.flatMap(({ i, j, p }) => {
    const q = known.get(`${i},${j}`) ?? null;
    return p === null || q === null ? [] : [Math.abs(p - q)];
  });
}

/** 1 for each pair, shown in both orders, whose decision follows the place; else 0. */
function flips(readings: readonly Reading[]): number[] {
  const known = new Map(readings.map(({ i, j, p }) => [`${i},${j}`, p]));
  return readings.flatMap(({ i, j, p }) => {
    const back = known.get(`${j},${i}`) ?? null;
    return i > j || p === null || back === null ? [] : [p > 0.5 === 1 - back > 0.5 ? 0 : 1];
  });
}

/** Closer to a half is undecided. */
const EVEN = 1e-9;

/** 1 for each triple in which each beats the next; else 0. */
function circles({ group, joint }: GroupReadings): number[] {
  const pairs = byPair(joint);
  const beats = (i: number, j: number) => {
    const p = pairs.get(i < j ? `${i},${j}` : `${j},${i}`) ?? null;
    return p === null || Math.abs(p - 0.5) < EVEN ? null : i < j === p > 0.5;
  };
  const all = group.texts.map((_, i) => i);
  return all.flatMap((i) =>
    all.slice(i + 1).flatMap((j) =>
      all.slice(j + 1).flatMap((k) => {
        const round = [beats(i, j), beats(j, k), beats(k, i)];
        return round.includes(null) ? [] : [new Set(round).size === 1 ? 1 : 0];
      }),
    ),
  );
}

/** Whether the text with the most probability of being the best is one of the best. */
function bestIn({ group, best }: GroupReadings): number | null {
  if (best.some((p) => p === null)) return null;
  const top = best.indexOf(Math.max(...(best as number[])));
  return group.truth[top] === Math.max(...group.truth) ? 1 : 0;
}

/** A check below this is a state that was not read to its end (src/verifier/decision/state.ts). */
const READ_MIN = 0.8;

export function measuresOf(all: readonly GroupReadings[], usd_per_million: number): Measure[] {
  const over = (name: string, says: string, values: (readings: GroupReadings) => (number | null)[]): Measure => {
    const known = all.flatMap(values).filter((value) => value !== null);
    return { name, says, value: meanOf(known), count: known.length };
  };
  const tokens = (way: "joint" | "alone") => (readings: GroupReadings) => [readings.tokens[way]];
  const figures = [
    over("tau-b, one state", "rank correlation with pass rates, both orders", (readings) => [
      tauOf(readings, readings.joint),
    ]),
    over("tau-b, pairs alone", "the same, each pair in its own state", (readings) => [tauOf(readings, readings.alone)]),
    over("right pairs, one state", "over pairs with different pass rates", (readings) =>
      rightIn(readings, readings.joint),
    ),
    over("right pairs, pairs alone", "the same", (readings) => rightIn(readings, readings.alone)),
    over("right choice, one question of all", "`decide-best`, mean of both orders", (readings) => [bestIn(readings)]),
    over("difference: one state and alone", "mean change of a pair's probability", ({ joint, alone }) =>
      apart(joint, alone),
    ),
    over("difference: all questions and one", "influence of the other questions in the state", ({ joint, single }) =>
      apart(single, joint),
    ),
    over("difference: repeated request", "the same request sent twice", ({ joint, repeated }) =>
      apart(repeated, joint),
    ),
    over("position flips, one state", "pairs whose winner changes with the order", ({ joint }) => flips(joint)),
    over("position flips, pairs alone", "the same", ({ alone }) => flips(alone)),
    over("position bias, one state", "mean probability of the candidate shown first", ({ joint }) =>
      joint.map(({ p }) => p),
    ),
    over("cycles", "share of cyclic triples in one state", (readings) => circles(readings)),
    over("tau-b at 2 decimals", "one state, probabilities rounded", (readings) => [
      tauOf(readings, rounded(readings.joint, 2)),
    ]),
    over("tau-b at 4 decimals", "the same", (readings) => [tauOf(readings, rounded(readings.joint, 4))]),
    over("checks below 0.8", "states that count as only partly read", ({ checks }) =>
      checks.map((check) => (check === null || check < READ_MIN ? 1 : 0)),
    ),
    over("tokens per group, one state", "two calls", tokens("joint")),
    over("tokens per group, pairs alone", "two calls per pair", tokens("alone")),
  ];
  const joint = figures.find(({ name }) => name === "tokens per group, one state") as Measure;
  const dollars = joint.value === null ? null : (joint.value * STEP_GROUPS * usd_per_million) / 1e6;
  return [
    ...figures,
    { name: "dollars per step of 64 groups, one state", says: "both orders", value: dollars, count: joint.count },
  ];
}
const STEP_GROUPS = 64;
