// Pareto fronts of cost against a metric, and which verifiers may be on one. Pure; knows no file.
import * as z from "zod";

/**
 * A verifier that parses less often is kept off the front: its other figures are of the answers it
 * managed to give.
 */
export const FRONT_PARSE_RATE_MIN = 0.8;

const ratio = z.number().min(0).max(1);

/** One verifier's figures. Two points compare only when their `cost_unit` is the same. */
export const PointSchema = z.strictObject({
  name: z.string().min(1).max(128),
  cost: z.number().min(0),
  cost_unit: z.string().min(1).max(64),
  list_acc: ratio.nullable().default(null),
  tau_b: z.number().min(-1).max(1).nullable().default(null),
  parse_rate: ratio.nullable(),
  source: z.string().max(512).optional(),
});
export type Point = z.output<typeof PointSchema>;
export const PointsFileSchema = z.strictObject({ points: z.array(PointSchema).min(1).max(1_000) });

export const FRONT_METRICS = ["list_acc", "tau_b"] as const;
export type FrontMetric = (typeof FRONT_METRICS)[number];

/** Why a point is not on the front, or null when it is. */
export type OffFront = "no_value" | "parse_rate_unknown" | "parse_rate_low" | "dominated" | null;

export function isEligible({ parse_rate }: Point): boolean {
  return parse_rate !== null && parse_rate >= FRONT_PARSE_RATE_MIN;
}

/** a dominates b: of one unit, no dearer, no worse, and better in one of the two. */
function dominates(a: Point, b: Point, metric: FrontMetric): boolean {
  if (a.cost_unit !== b.cost_unit) return false;
  const [mine, other] = [a[metric] as number, b[metric] as number];
  return a.cost <= b.cost && mine >= other && (a.cost < b.cost || mine > other);
}

/**
 * Per point: why it is off the front of `metric`, or null. Points that are not eligible dominate
 * nothing.
 */
export function frontStatus(points: readonly Point[], metric: FrontMetric): OffFront[] {
  const rivals = points.filter((point) => point[metric] !== null && isEligible(point));
  return points.map((point) => {
    if (point[metric] === null) return "no_value";
    if (point.parse_rate === null) return "parse_rate_unknown";
    if (!isEligible(point)) return "parse_rate_low";
    return rivals.some((rival) => dominates(rival, point, metric)) ? "dominated" : null;
  });
}

/**
 * The points of each unit of cost, units in the order of their first point: costs in different units are
 * never compared, so that each has a separate front.
 */
export const byUnit = (points: readonly Point[]): Point[][] => [
  ...Map.groupBy(points, ({ cost_unit }) => cost_unit).values(),
];

/** The front of each unit, cheapest first. Equal points are all on it. */
export function paretoFront(points: readonly Point[], metric: FrontMetric): Point[] {
  return byUnit(points).flatMap((unitPoints) => {
    const status = frontStatus(unitPoints, metric);
    return unitPoints.filter((_, i) => status[i] === null).sort((a, b) => a.cost - b.cost);
  });
}
