// Defines what charts of a run's page show, as the tables of measures and alarms say: told to the pages'
// script at its build, so that it holds no SQL and no rule.
import { type Alarm, type AlarmPage, pageOf } from "../../../src/core/health/alarm.ts";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import type { MeasureName } from "../../../src/core/health/health-row.ts";
import { type Drawn, MEASURE_PAGES, MEASURES, type Unit } from "../../../src/core/health/measures.ts";

const AXES: Partial<Record<Unit, string>> = { correlation: "Spearman's correlation" };

export interface Line extends Drawn {
  measure: MeasureName;
  /** The axis label of a separate chart. */
  unit: string;
}

/** `needs`: before it can say anything; `look_at`: what to do. */
export type AlarmWords = Pick<AlarmPage, "needs" | "look_at" | "groups_by">;

/** A horizontal line of a chart, with the alarm that it belongs to. */
export interface Threshold {
  value: number;
  label: string;
}

export interface ChartTable {
  lines: Line[];
  /** By the title of a chart. */
  thresholds: Record<string, Threshold[]>;
  /** Alarms by the title of a chart that marks where they began. */
  marks: Record<string, string[]>;
  /** The text of each alarm's page, as plain text. */
  alarms: Record<string, AlarmWords>;
}

const lineOf = (measure: (typeof MEASURES)[number]): Line[] => {
  const { drawn } = MEASURE_PAGES[measure.name];
  const name = measure.name as MeasureName;
  return drawn === undefined ? [] : [{ ...drawn, measure: name, unit: AXES[measure.unit] ?? measure.unit }];
};

const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

function wordsOf(alarm: Alarm): AlarmWords {
  const { needs, look_at, groups_by } = pageOf(alarm);
  return { needs: plain(needs), look_at: plain(look_at), ...(groups_by !== undefined && { groups_by }) };
}

/** The lines of a chart. Alarms with the same threshold share a line. */
function thresholdsOn(chart: string): Threshold[] {
  const drawn = ALARMS.filter((alarm) => pageOf(alarm).draws_threshold && pageOf(alarm).marked_on?.includes(chart));
  const levels = drawn.flatMap(({ name, bad, watch, alarm }) => [
    { name, bound: `${bad} ${alarm}`, value: alarm },
    ...(watch === undefined ? [] : [{ name: `${name} (watch)`, bound: `${bad} ${watch}`, value: watch }]),
  ]);
  return [...Map.groupBy(levels, ({ bound }) => bound)].map(([bound, same]) => ({
    value: (same[0] as { value: number }).value,
    label: `${same.map(({ name }) => name).join(", ")} ${bound}`,
  }));
}

export function chartTable(): ChartTable {
  const marks: Record<string, string[]> = {};
  for (const alarm of ALARMS) {
    for (const chart of pageOf(alarm).marked_on ?? []) marks[chart] = [...(marks[chart] ?? []), alarm.name];
  }
  const thresholds = Object.fromEntries(Object.keys(marks).map((chart) => [chart, thresholdsOn(chart)]));
  const alarms = Object.fromEntries(ALARMS.map((alarm) => [alarm.name, wordsOf(alarm)]));
  return { lines: MEASURES.flatMap(lineOf), thresholds, marks, alarms };
}
