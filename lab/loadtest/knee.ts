// Defines what counts as overloaded, where the knee is, which rates a sweep takes, and the throughput
// frontier. Pure; knows no client.
import { shownNumber } from "../report/page.ts";
import type { Point, Side, Summary } from "./summary-schema.ts";

export interface KneeRule {
  /** Most times the unloaded p99 that p99 may be. */
  p99_factor_max: number;
  achieved_share_min: number;
  failed_share_max: number;
}

export const KNEE_RULE: KneeRule = { p99_factor_max: 3, achieved_share_min: 0.98, failed_share_max: 0.01 };

/** The rule in words, for the report. */
export const kneeText = ({ p99_factor_max, achieved_share_min, failed_share_max }: KneeRule): string =>
  `the highest rate below the first overloaded one; overloaded means p99 above ${p99_factor_max} times that of the lowest rate, ` +
  `or less than ${100 * achieved_share_min} % of the offered requests achieved, or more than ${100 * failed_share_max} % failed`;

/**
 * A latency below this is the generator's and the scheduler's noise: factors of it mean nothing.
 * Milliseconds.
 */
const NOISE_MS = 5;

/** The 99th percentile; with fewer than 100 requests the slowest instead. */
const tail = ({ latency_ms }: Side): number | null => latency_ms.p99.value ?? latency_ms.max;

/**
 * Why a side is overloaded; empty when it holds. `unloaded` is the same side at the lowest rate.
 */
export function overloadReasons(side: Side, unloaded: Side, rule: KneeRule): string[] {
  const reasons: string[] = [];
  const [p99, first] = [tail(side), tail(unloaded)];
  if (p99 !== null && first !== null && p99 > rule.p99_factor_max * Math.max(first, NOISE_MS)) {
    reasons.push(
      `p99 ${shownNumber(p99)} ms is above ${rule.p99_factor_max} times ${shownNumber(Math.max(first, NOISE_MS))} ms`,
    );
  }
  const [offered, achieved] = [side.offered_per_s.value ?? 0, side.achieved_per_s.value ?? 0];
  if (offered > 0 && !isAchieved(side, unloaded, rule)) {
    reasons.push(`achieved ${shownNumber(achieved)} of ${shownNumber(offered)} offered requests per second`);
  }
  if (side.failed > rule.failed_share_max * side.requests) reasons.push(`${side.failed} of ${side.requests} failed`);
  return reasons;
}

/**
 * Whether enough of what was offered was achieved. A window cuts through requests at both of its
 * ends, about offered x latency each time, so by chance the two differ; three standard deviations
 * of that (at the unloaded latency) are forgiven.
 */
function isAchieved(side: Side, unloaded: Side, { achieved_share_min }: KneeRule): boolean {
  const [offered, achieved] = [side.offered_per_s.value ?? 0, side.achieved_per_s.value ?? 0];
  const windows = side.achieved_per_s.repeats.length;
  const under_way = (offered * (unloaded.latency_ms.mean.value ?? 0)) / 1000;
  const chance = (3 * Math.sqrt(2 * windows * under_way)) / (side.requests / offered);
  return achieved + chance >= achieved_share_min * offered;
}

/** Rates from the lower to the upper end, each a constant factor above the last. */
export function sweepRates(from: number, to: number, steps: number): number[] {
  if (steps === 1) return [from];
  return Array.from({ length: steps }, (_, i) => from * (to / from) ** (i / (steps - 1)));
}

/** Requests of a rate from which on it has a p99; with fewer no knee is reported. */
export const KNEE_REQUESTS_MIN = 100;

/** The knee of measured points, in whatever order they were taken; none of too few requests. */
export function kneeOf(points: readonly Point[], rule: KneeRule): Summary["knee"] {
  const text = kneeText(rule);
  const rated = points.filter(({ rate }) => rate !== null);
  const fewest = Math.min(...rated.map(({ target }) => target.requests));
  if (rated.length > 1 && fewest < KNEE_REQUESTS_MIN)
    return { rate: null, overloaded_at: null, requests_few: fewest, rule: text };
  return { ...bracketOf(points), requests_few: null, rule: text };
}

/** The highest rate below the first overloaded one, and that one. */
function bracketOf(points: readonly Point[]): Pick<Summary["knee"], "rate" | "overloaded_at"> {
  const known = points.filter(({ rate }) => rate !== null).sort((a, b) => (a.rate as number) - (b.rate as number));
  const first = known.findIndex(({ overloaded }) => overloaded.length > 0);
  const rate = first === -1 ? (known.at(-1)?.rate ?? null) : (known[first - 1]?.rate ?? null);
  return { rate, overloaded_at: known[first]?.rate ?? null };
}

/**
 * Where the knee is, in words: of a sweep in which nothing was overloaded all that is known is a
 * bound.
 */
export function kneePlace(
  { rate, overloaded_at, requests_few }: Summary["knee"],
  shown: (rate: number) => string,
): string {
  if (requests_few !== null)
    return `unknown: only ${requests_few} requests at one of the rates; at least ${KNEE_REQUESTS_MIN} are needed (--duration, --repeats)`;
  if (rate === null) return "below the lowest rate";
  return overloaded_at === null
    ? `not reached: no rate was overloaded, so it is ${shown(rate)} or more`
    : `${shown(rate)}, overloaded at ${shown(overloaded_at)}`;
}

/** Overloaded rates in a row after which a sweep goes no higher. */
const OVERLOADED_ENOUGH = 2;
/** Closer than this there is nothing left to narrow. */
const RATE_RATIO_MIN = 1.05;

/**
 * The next rate of a sweep: upwards until two in a row are overloaded, then between the knee and
 * the rate above it. null: done.
 */
export function nextRate(rates: readonly number[], points: readonly Point[], refine: number): number | null {
  const climbed = points.filter(({ rate }, i) => rate === rates[i]).length;
  const latest = points.slice(Math.max(0, climbed - OVERLOADED_ENOUGH), climbed);
  const isOver = latest.length === OVERLOADED_ENOUGH && latest.every(({ overloaded }) => overloaded.length > 0);
  if (!isOver && climbed < rates.length && points.length === climbed) return rates[climbed] as number;
  const { rate, overloaded_at } = bracketOf(points);
  if (points.length - climbed >= refine || rate === null || overloaded_at === null) return null;
  return overloaded_at / rate < RATE_RATIO_MIN ? null : Math.sqrt(rate * overloaded_at);
}

const FRONTIER_MS = [1, 5, 10, 50, 100, 500, 1000, 5000, 10_000, 60_000];

/** The most that was achieved with p99 within each limit, few enough failing. */
export function frontierOf(points: readonly Point[], rule: KneeRule): Summary["frontier"] {
  return FRONTIER_MS.map((p99_ms_max) => {
    const within = points
      .map(({ target }) => target)
      .filter((side) => {
        const p99 = tail(side);
        return p99 !== null && p99 <= p99_ms_max && side.failed <= rule.failed_share_max * side.requests;
      });
    const best = within.reduce<Side | null>(
      (highest, side) => ((side.achieved_per_s.value ?? 0) > (highest?.achieved_per_s.value ?? 0) ? side : highest),
      null,
    );
    return {
      p99_ms_max,
      requests_per_s: best?.achieved_per_s.value ?? null,
      rewards_per_s: best?.rewards_per_s.value ?? null,
      comparisons_per_s: best?.comparisons_per_s.value ?? null,
    };
  });
}
