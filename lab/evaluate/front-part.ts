// The part of a report that sets cost beside quality: its table, its charts and their fronts.

import type { Html } from "../../scripts/build/reference/html.ts";
import { type Rule, scatterChart } from "../report/charts.ts";
import type { Table } from "../report/page.ts";
import type { Part } from "../report/parts.ts";
import { byUnit, FRONT_METRICS, type FrontMetric, frontStatus, type Point, paretoFront } from "./pareto.ts";
import { frontTable } from "./tables.ts";

const METRIC_NAMES: Record<FrontMetric, string> = { list_acc: "ListAcc", tau_b: "tau-b" };

/**
 * @param chance the ListAcc that guessing gives; null: no line for it
 * @param beside further tables
 */
export function frontPart(points: readonly Point[], chance: number | null = null, beside: readonly Table[] = []): Part {
  return {
    title: "Cost",
    lead: "A point is on the Pareto front if no other point costs at most as much and is at least as good, with one of the two strictly better. Verifiers with a parse rate below 80 % are excluded and dominate no other. Costs in different units have separate fronts.",
    tables: [...byUnit(points).map(frontTable), ...beside],
    charts: byUnit(points).flatMap((unitPoints) =>
      FRONT_METRICS.filter((metric) => unitPoints.some((point) => point[metric] !== null)).map((metric) =>
        frontChart(unitPoints, metric, chance),
      ),
    ),
  };
}

function frontChart(points: readonly Point[], metric: FrontMetric, chance: number | null): Html {
  const status = frontStatus(points, metric);
  const short = withoutSharedWord(points.map(({ name }) => name));
  const at = (point: Point) => ({ x: point.cost, y: point[metric] as number, label: short(point.name) });
  const group = (name: string, holds: (off: (typeof status)[number]) => boolean) => ({
    name,
    points: points.filter((point, i) => point[metric] !== null && holds(status[i] ?? null)).map(at),
  });
  return scatterChart({
    title: `${METRIC_NAMES[metric]} against cost`,
    x: costAxis(points),
    y: { label: METRIC_NAMES[metric] },
    // All three also where one is empty: a colour means the same in every chart, and a legend says
    // so.
    series: [
      group("on the Pareto front", (off) => off === null),
      group("dominated", (off) => off === "dominated"),
      group("parse rate too low or unknown", (off) => off === "parse_rate_low" || off === "parse_rate_unknown"),
    ],
    front: paretoFront(points, metric).map(at),
    rules: guessing(metric, chance),
  });
}

/** The value of guessing: for tau-b 0. */
function guessing(metric: FrontMetric, chance: number | null): Rule[] {
  const at = metric === "tau_b" ? 0 : chance;
  return at === null ? [] : [{ axis: "y", at, name: "chance" }];
}

/**
 * Names without the verifier's, when they all begin with the same one: labels are long and points
 * are near each other.
 */
function withoutSharedWord(names: readonly string[]): (name: string) => string {
  const [first = ""] = names;
  const word = first.slice(0, first.lastIndexOf(" ") + 1);
  return names.every((name) => name.startsWith(word)) ? (name) => name.slice(word.length) : (name) => name;
}

/** Logarithmic where costs differ much, with room at both ends for the labels. */
function costAxis(points: readonly Point[]) {
  const costs = points.map(({ cost }) => cost);
  const [low, high] = [Math.min(...costs), Math.max(...costs)];
  const label = points[0]?.cost_unit ?? "cost";
  if (low > 0 && high > 8 * low) return { label, log: true, domain: [low / 1.4, high * 1.4] as const };
  const margin = 0.15 * (high - low || high || 1);
  return { label, domain: [Math.max(0, low - margin), high + margin] as const };
}
