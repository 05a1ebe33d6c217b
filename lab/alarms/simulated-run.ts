// A made run: what its log would say of each step, from groups of which each pair is judged in both orders by
// a verifier of a given strength. No model, no log.
import type { Circles } from "../../src/core/asking/comparison.ts";
import type { HealthRow } from "../../src/core/health/health-row.ts";
import { sigmoid } from "../../src/core/math/elementary.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean, populationStd } from "../../src/core/math/stats.ts";
import { spearman } from "../../src/core/math/tau-b.ts";
import type { PairResult } from "../../src/core/tournament/decision.ts";
import { circlesIn } from "../../src/core/tournament/measures.ts";

/** A run's condition at a step; each field has a healthy value (`HEALTHY`). */
export interface Condition {
  /** Log-odds between candidates one standard deviation of quality apart: how well the judge tells. */
  strength: number;
  /** Share of verdicts that go to the first shown, whatever it is. */
  place: number;
  /** Share of verdicts that go in a circle: each candidate beats those that come next. */
  circular: number;
  /** Share of verdicts that tell nothing: a tie. */
  undecided: number;
  /** Log-odds that a standard deviation of length adds, whatever the quality. */
  wordy: number;
  /** Share of answers that can be read. */
  parsed: number;
  /** Share of generations that bring no answer. */
  failed: number;
  /** Share of rollouts without a reward. */
  lost: number;
  malformed: number;
  jams: number;
  duplicates: number;
  capped: number;
  /** Share of groups whose rollouts are all alike. */
  flat: number;
  /** Share of gathered groups that are judged in parts. */
  partial: number;
  /** Median length, tokens. */
  length: number;
  /** p99 of an answer, ms. */
  latency_ms: number;
  /** Standard deviation of a step's log p99, and its correlation with the step before. */
  latency_spread: number;
  latency_memory: number;
  /** Mean and standard deviation of quality; a rollout is right by its label where its quality is above 0. */
  ability: number;
  spread: number;
  /** Orders in which each pair is shown: 1, drawn, or 2. */
  orders: 1 | 2;
  /** Added to the score without format, and to the reward. */
  score: number;
  bonus: number;
  /** The first judge's part of the quality that a swapped judge sees. */
  same_judge: number;
  /** Share that judges see of the agents' runs. */
  shown: number;
}

/** Pairs of candidates are distinguished in 83 % of verdicts. */
export const HEALTHY: Condition = {
  ...{ strength: 2, place: 0, circular: 0, undecided: 0, wordy: 0.15, parsed: 0.985, failed: 0.002, lost: 0.004 },
  ...{ malformed: 0.04, jams: 0.001, duplicates: 0.05, capped: 0.04, flat: 0.05, partial: 0 },
  ...{ length: 1000, score: 0, bonus: 0, same_judge: 1, shown: 0.9 },
  ...{ latency_ms: 2000, latency_spread: 0.25, latency_memory: 0, ability: 0, spread: 1, orders: 2 },
};

export interface Size {
  /** Groups a step. */
  groups: number;
  /** Rollouts a group. */
  n: number;
  /** Seed of all draws. */
  seed: number;
}

/** Steps between two drift probes, and the minimum number of their rollouts (`DriftProbe`). */
const PROBE_STEPS = 20;
const PROBE_ROLLOUTS = 32;
/** Spread of log lengths. */
const LENGTH_SPREAD = 0.4;
/** Spread between runs of the share shown of a run. */
const SHOWN_SPREAD = 0.2;
const MINUTE_MS = 60_000;

interface Draw {
  uniform(): number;
  normal(): number;
}

function drawing(seed: string): Draw {
  const uniform = createRandom(hashText("alarms", seed));
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}

interface Judged extends Circles {
  rewards: number[];
  flips: number;
  /** Pairs that both orders decided. */
  both: number;
  ties: number;
}

/** Every pair in one order or both; the reward is the share of games won. */
function judged(quality: readonly number[], lengths: readonly number[], now: Condition, draw: Draw): Judged {
  const n = quality.length;
  const wins = new Array<number>(n).fill(0);
  const won = Array.from({ length: n }, () => new Array<PairResult>(n).fill("tie"));
  let [flips, both, ties] = [0, 0, 0];
  const shownFirst = (i: number, j: number): number => {
    if (draw.uniform() < now.undecided) return 0.5;
    if (draw.uniform() < now.place) return 1;
    if (draw.uniform() < now.circular) return Number((j - i + n) % n <= n / 2);
    const apart = (quality[i] as number) - (quality[j] as number);
    const longer = (lengths[i] as number) - (lengths[j] as number);
    return draw.uniform() < sigmoid(now.strength * apart + now.wordy * longer) ? 1 : 0;
  };
  const onceShown = (i: number, j: number): [number, number] => {
    const points = draw.uniform() < 0.5 ? shownFirst(i, j) : 1 - shownFirst(j, i);
    return [points, points];
  };
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const [first, second] = now.orders === 2 ? [shownFirst(i, j), 1 - shownFirst(j, i)] : onceShown(i, j);
      const points = (first + second) / 2;
      wins[i] = (wins[i] as number) + points;
      wins[j] = (wins[j] as number) + 1 - points;
      if (points !== 0.5) {
        const [better, worse] = points > 0.5 ? [i, j] : [j, i];
        (won[better] as PairResult[])[worse] = "win";
        (won[worse] as PairResult[])[better] = "loss";
      }
      const decisive = first !== 0.5 && second !== 0.5;
      both += Number(decisive && now.orders === 2);
      flips += Number(decisive && first !== second);
      ties += Number(points === 0.5);
    }
  }
  return { rewards: wins.map((w) => w / (n - 1)), flips, both, ties, ...circlesIn(won) };
}

/** A group as a pool holds it. */
interface Group extends Judged {
  quality: number[];
  /** Deviations of log lengths. */
  lengths: number[];
  /** Correlation of rewards and lengths. */
  correlation: number | null;
}

/** Groups made once and drawn from: a step's are a sample of them. */
const POOL = 1000;
const pools = new Map<string, Group[]>();

function poolOf(now: Condition, n: number, seed: number): Group[] {
  const { strength, place, circular, undecided, wordy, same_judge, ability, spread, orders } = now;
  const key = JSON.stringify([
    strength,
    place,
    circular,
    undecided,
    wordy,
    same_judge,
    ability,
    spread,
    orders,
    n,
    seed,
  ]);
  const known = pools.get(key);
  if (known !== undefined) return known;
  const draw = drawing(key);
  const made = Array.from({ length: POOL }, (): Group => {
    const quality = Array.from({ length: n }, () => ability + spread * draw.normal());
    const lengths = Array.from({ length: n }, draw.normal);
    const result = judged(quality, lengths, now, draw);
    return { quality, lengths, ...result, correlation: spearman(result.rewards, lengths) };
  });
  pools.set(key, made);
  return made;
}

/** How many of `count`, by chance: drawn by the gaps between two, which are few for a small share. */
function binomial(count: number, share: number, draw: Draw): number {
  if (share <= 0 || share >= 1) return share <= 0 ? 0 : count;
  if (share > 0.5) return count - binomial(count, 1 - share, draw);
  const gap = () => Math.floor(Math.log(1 - draw.uniform()) / Math.log(1 - share));
  let hits = 0;
  for (let at = gap(); at < count; at += 1 + gap()) hits++;
  return hits;
}

const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null);

/** A step's groups. */
const stepOf = (pool: readonly Group[], groups: number, draw: Draw): Group[] =>
  Array.from({ length: groups }, () => pool[Math.floor(draw.uniform() * POOL)] as Group);

/** The groups of the first steps whose rewards differ most, as the client's DriftProbe keeps them. */
function keptGroups(pool: readonly Group[], { groups, n }: Size, draw: Draw): Group[] {
  const count = Math.ceil(PROBE_ROLLOUTS / n);
  const probeGroups: Group[] = [];
  while (probeGroups.length < count) {
    const drawn = stepOf(pool, groups, draw).sort((a, b) => populationStd(b.rewards) - populationStd(a.rewards));
    probeGroups.push(...drawn.slice(0, count - probeGroups.length));
  }
  return probeGroups;
}

/** The mean correlation of kept groups' rewards now and then. */
function sentAgain(probeGroups: readonly Group[], now: Condition, draw: Draw): number {
  const same = now.same_judge;
  const rhos = probeGroups.map(({ quality, lengths, rewards }) => {
    const seen = quality.map((q) => (same === 1 ? q : same * q + Math.sqrt(1 - same ** 2) * draw.normal()));
    return spearman(judged(seen, lengths, now, draw).rewards, rewards) ?? 0;
  });
  return mean(rhos);
}

/** Sorted as deviations, which numbers in a separate array are fastest. */
function medianLength(drawn: readonly Group[], middle: number): number {
  const sorted = Float64Array.from(drawn.flatMap(({ lengths }) => lengths)).sort();
  // Groups are of an even number.
  const around = [sorted[sorted.length / 2 - 1] as number, sorted[sorted.length / 2] as number];
  return mean(around.map((z) => middle * Math.exp(LENGTH_SPREAD * z)));
}

const labelsOf = (drawn: readonly Group[]): number[] =>
  drawn.flatMap(({ quality }) => quality.map((q) => Number(q > 0)));

const labelCorrelation = (drawn: readonly Group[]): number | null =>
  spearman(
    drawn.flatMap(({ rewards }) => rewards),
    labelsOf(drawn),
  );

/**
 * A run's log, a row a step.
 * @param conditionAt the run's condition at a step
 */
export function simulatedRun(
  seed: string,
  size: Size,
  steps: number,
  conditionAt: (step: number) => Condition,
): HealthRow[] {
  const { groups, n } = size;
  const draw = drawing(`${seed} ${size.seed}`);
  // Apart, so that what it draws moves nothing else.
  const seen = drawing(`${seed} ${size.seed} shown`);
  let slowness = draw.normal();
  const probeGroups = keptGroups(poolOf(conditionAt(0), n, size.seed), size, draw);
  return Array.from({ length: steps }, (_, step): HealthRow => {
    const now = conditionAt(step);
    const drawn = stepOf(poolOf(now, n, size.seed), groups, draw);
    const rollouts = groups * n;
    const pairs = groups * ((n * (n - 1)) / 2);
    const generations = now.orders * pairs;
    const share = (of_: keyof Condition, count = rollouts) => binomial(count, now[of_], draw) / count;
    const lost = binomial(rollouts, now.lost, draw);
    const isProbeStep = step > 0 && step % PROBE_STEPS === 0;
    const total = (of_: "triples" | "circles" | "ties" | "flips" | "both") =>
      drawn.reduce((sum, group) => sum + group[of_], 0);
    const malformed = share("malformed");
    slowness = now.latency_memory * slowness + Math.sqrt(1 - now.latency_memory ** 2) * draw.normal();
    return {
      step,
      at_ms: step * MINUTE_MS,
      rollouts,
      reward_mean: 0.5 + now.score + now.bonus - 0.5 * malformed,
      unformatted_mean: 0.5 + now.score + 0.02 * draw.normal() * Math.sqrt(64 / rollouts) * Number(now.score !== 0),
      zero_variance_share: share("flat", groups),
      parse_rate: share("parsed", generations),
      nulls: lost === 0 ? {} : { deadline: lost },
      malformed_share: malformed,
      // Half of the time goes into these two, which most rules do not look at.
      get length_p50() {
        return medianLength(drawn, now.length);
      },
      at_cap_share: share("capped"),
      length_reward: mean(known(drawn.map(({ correlation }) => correlation))),
      duplicate_share: share("duplicates"),
      tie_share: total("ties") / pairs,
      flip_rate: total("both") === 0 ? null : total("flips") / total("both"),
      cyclic_share: total("triples") === 0 ? null : total("circles") / total("triples"),
      triples: total("triples"),
      jam_share: share("jams"),
      evidence_shown: Math.min(1, now.shown + (SHOWN_SPREAD * seen.normal()) / Math.sqrt(rollouts)),
      get label_correlation() {
        return labelCorrelation(drawn);
      },
      get label_std() {
        return populationStd(labelsOf(drawn));
      },
      audit_correlation: null,
      repeat_correlation: isProbeStep ? sentAgain(probeGroups, now, draw) : null,
      repeat_rollouts: isProbeStep ? probeGroups.length * n : 0,
      latency_p99_ms: now.latency_ms * Math.exp(now.latency_spread * slowness),
      incomplete_share: share("partial", groups),
      failed_share: share("failed", generations),
    };
  });
}
