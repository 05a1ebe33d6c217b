// The benchmark of how scoring's CPU and memory grow with groups, comparisons, prompts and signals: each
// curve's line, with the slope's interval.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { percentile } from "../../src/core/math/stats.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type Figure, figure, type Goal } from "./figures.ts";
import { onLine, slopeOf } from "./line.ts";
import { comparisonsOf, rewardsRequest } from "./loads.ts";
import { clock, instantVerifier } from "./scoring.ts";

/** What is given of a curve's load unless it is what grows. */
const USUAL = { groups: 8, rollouts: 8, kib: 1, signals: 1 };
type Load = typeof USUAL;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

interface Curve {
  name: string;
  /** Ascending. */
  loads: readonly Load[];
  /** The load in which its costs should be linear. */
  size(load: Load): number;
  costs: readonly (keyof Cost)[];
}

const powers = (from: number, to: number): number[] => (from > to ? [] : [from, ...powers(from * 2, to)]);
const growing = (field: keyof Load, from: number, to: number, usual = USUAL) =>
  powers(from, to).map((value) => ({ ...usual, [field]: value }));

/** Up to these numbers of groups, rollouts, KiB of prompt and signals. */
export const curvesUpTo = (maxLoad: Load): Curve[] => [
  { name: "groups", loads: growing("groups", 1, maxLoad.groups), size: ({ groups }) => groups, costs: COSTS },
  // Each pair is compared: nothing else may grow faster than they do.
  {
    name: "comparisons of a group",
    loads: growing("rollouts", 2, maxLoad.rollouts),
    size: ({ rollouts }) => comparisonsOf({ groups: 1, rollouts, thoughts: 0 }),
    costs: ["CPU ms"],
  },
  // What is kept of a comparison is little beside a rollout's own rows.
  {
    name: "rollouts of a group",
    loads: growing("rollouts", 2, maxLoad.rollouts),
    size: ({ rollouts }) => rollouts,
    costs: ["KiB live"],
  },
  { name: "KiB of a prompt", loads: growing("kib", 1, maxLoad.kib), size: ({ kib }) => kib, costs: COSTS },
  {
    name: "signals",
    loads: growing("signals", 1, maxLoad.signals, { ...USUAL, groups: maxLoad.groups, rollouts: 2 }),
    size: ({ signals }) => signals,
    costs: COSTS,
  },
];

/** All that a batch is made of once its reply is written. */
async function scored({ groups, rollouts, kib, signals }: Load): Promise<unknown[]> {
  const made = rewardsRequest({ groups, rollouts, thoughts: 1000 });
  const prompted = made.groups.map((group) => ({ ...group, prompt: "A line of a prompt.\n".repeat(kib * 51) }));
  const body = JSON.stringify({ ...made, spec: undefined, groups: prompted });
  const lengths = Array.from({ length: signals - 1 }, (_, s) => [`s${s}`, { kind: "length", max: 1000 + s }]);
  const spec = SignalsSpecSchema.parse({ signals: { base: { kind: "tournament" }, ...Object.fromEntries(lengths) } });
  compileSpec(spec);
  const before = process.cpuUsage();
  const request = RewardsRequestSchema.parse(JSON.parse(body));
  const { session, reply } = await scoreBatch(
    { verifier: instantVerifier, clock },
    { request, spec, started_ms: clock.now(), signal: new AbortController().signal },
  );
  const text = JSON.stringify(reply);
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1000, body, request, session, reply, text];
}

/** CPU from a request's text to its reply's, ms, and what is live of both and all between, KiB. */
async function costOf(load: Load): Promise<Cost> {
  // A separate turn clears what the last batch left on the stack.
  await new Promise((turn) => setImmediate(turn));
  collect();
  const before = process.memoryUsage();
  const held = await scored(load);
  collect();
  const after = process.memoryUsage();
  const live = after.heapUsed + after.external - before.heapUsed - before.external;
  // Memory that caches give back meanwhile may outweigh a batch of two rollouts.
  return { "CPU ms": held[0] as number, "KiB live": Math.max(1, live / 1024) };
}

const COSTS = ["CPU ms", "KiB live"] as const;
type Cost = Record<(typeof COSTS)[number], number>;

/** Points from here on: below, what a request costs by itself hides what it costs more. */
const UPPER = 5;

const interval = (name: string, unit: string, goal: Goal, { slope, doubt }: { slope: number; doubt: number }) =>
  figure(name, unit, goal, [slope - doubt, slope, slope + doubt]);

/**
 * For each curve, over `rounds` at each load, the least CPU and the median of live memory; the line through
 * them, and the exponent over the upper loads.
 */
export async function benchGrowth(curves: readonly Curve[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, loads, size, costs } of curves) {
    const measured = new Map(loads.map((load) => [load, [] as Cost[]]));
    // In turns, so that a busy minute is on all of them.
    for (let round = 0; round <= rounds; round++) {
      for (const [load, found] of measured) found.push(await costOf(load));
    }
    for (const costName of costs) {
      const points = [...measured].map(([load, found]) => {
        const values = found.map((cost) => cost[costName]).sort((a, b) => a - b);
        return [size(load), percentile(values, costName === "CPU ms" ? 0 : 0.5)] as const;
      });
      for (const [at, cost] of points) figures.push(figure(`${costName} at ${at} ${name}`, costName, null, [cost]));
      const logs = points.slice(-UPPER).map(([at, cost]) => [Math.log(at), Math.log(cost)] as const);
      figures.push(
        interval(`${costName} by ${name}: slope of the linear fit`, `${costName} each`, null, slopeOf(points)),
        figure(`${costName} by ${name}: R² of the linear fit`, "", null, [onLine(points)]),
        interval(`${costName} by ${name}: the exponent`, "", { max: EXPONENT_MOST }, slopeOf(logs)),
      );
    }
  }
  return figures;
}

/** Linear, with the noise of a curve over a factor of 16. */
const EXPONENT_MOST = 1.1;
