// Owns the benchmark of how scoring's CPU grows with groups, comparisons, prompts and signals: the
// exponent of each curve with its interval. Knows no server and no verifier.
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type Figure, figure } from "./figures.ts";
import { comparisonsOf, rewardsRequest } from "./loads.ts";
import { clock, instantVerifier } from "./scoring.ts";

/** What is given of a curve's load unless it is what grows. */
const USUAL = { groups: 8, rollouts: 8, kib: 1, signals: 1 };
type Load = typeof USUAL;

interface Curve {
  name: string;
  /** Ascending. */
  loads: readonly Load[];
  /** What the CPU should be proportional to. */
  size(load: Load): number;
}

const powers = (from: number, to: number): number[] => (from > to ? [] : [from, ...powers(from * 2, to)]);
const growing = (field: keyof Load, from: number, to: number) =>
  powers(from, to).map((value) => ({ ...USUAL, [field]: value }));

/** Up to so many groups, rollouts, KiB of prompt and signals. */
export const curvesUpTo = (most: Load): Curve[] => [
  { name: "groups", loads: growing("groups", 1, most.groups), size: ({ groups }) => groups },
  // Each pair is compared: nothing else may grow faster than they do.
  {
    name: "comparisons of a group",
    loads: growing("rollouts", 2, most.rollouts),
    size: ({ rollouts }) => comparisonsOf({ groups: 1, rollouts, thoughts: 0 }),
  },
  { name: "KiB of a prompt", loads: growing("kib", 1, most.kib), size: ({ kib }) => kib },
  { name: "signals", loads: growing("signals", 1, most.signals), size: ({ signals }) => signals },
];

/** CPU of a batch that is read, scored and written, ms. */
async function cpuOf({ groups, rollouts, kib, signals }: Load): Promise<number> {
  const made = rewardsRequest({ groups, rollouts, thoughts: 1000 });
  const prompted = made.groups.map((group) => ({ ...group, prompt: "A line of a prompt.\n".repeat(kib * 51) }));
  const body = JSON.stringify({ ...made, spec: undefined, groups: prompted });
  const lengths = Array.from({ length: signals - 1 }, (_, s) => [`s${s}`, { kind: "length", max: 1000 + s }]);
  const spec = SignalsSpecSchema.parse({ signals: { base: { kind: "tournament" }, ...Object.fromEntries(lengths) } });
  compileSpec(spec);
  const before = process.cpuUsage();
  const request = RewardsRequestSchema.parse(JSON.parse(body));
  const { session: _, reply } = await scoreBatch(
    { verifier: instantVerifier, clock },
    { request, spec, started_ms: clock.now(), signal: new AbortController().signal },
  );
  JSON.stringify(reply);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Slope of a line through the points, with twice its standard error about it. */
export function slopeOf(points: readonly (readonly [number, number])[]): { slope: number; doubt: number } {
  const n = points.length;
  const [x, y] = [0, 1].map((at) => points.reduce((sum, point) => sum + (point[at] as number), 0) / n) as [
    number,
    number,
  ];
  const spread = points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  const slope = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread;
  const off = points.reduce((sum, [a, b]) => sum + (b - y - slope * (a - x)) ** 2, 0);
  return { slope, doubt: n > 2 ? 2 * Math.sqrt(off / (n - 2) / spread) : Number.POSITIVE_INFINITY };
}

/** Points from here on: below, what a request costs by itself hides what it costs more. */
const UPPER = 5;

/** Of each curve the least of `rounds` at each load, and the exponent over its upper loads. */
export async function benchGrowth(curves: readonly Curve[], rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, loads, size } of curves) {
    const least = new Map(loads.map((load) => [load, Number.POSITIVE_INFINITY]));
    // In turns, so that a busy minute is on all of them.
    for (let round = 0; round <= rounds; round++)
      for (const load of loads) least.set(load, Math.min(least.get(load) as number, await cpuOf(load)));
    for (const load of loads)
      figures.push(figure(`${size(load)} ${name}`, "CPU ms", null, [least.get(load) as number]));
    const points = loads
      .slice(-UPPER)
      .map((load) => [Math.log(size(load)), Math.log(least.get(load) as number)] as const);
    const { slope, doubt } = slopeOf(points);
    const about = figure(`CPU by ${name}: the exponent`, "", { most: EXPONENT_MOST }, [
      slope - doubt,
      slope,
      slope + doubt,
    ]);
    figures.push({ ...about, repeats: rounds });
  }
  return figures;
}

/** Linear, with the noise of a curve over a factor of 16. */
const EXPONENT_MOST = 1.1;
