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

export interface ChartTable {
  lines: Line[];
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

export function chartTable(): ChartTable {
  const marks: Record<string, string[]> = {};
  for (const alarm of ALARMS) {
    for (const chart of pageOf(alarm).marked_on ?? []) marks[chart] = [...(marks[chart] ?? []), alarm.name];
  }
  const alarms = Object.fromEntries(ALARMS.map((alarm) => [alarm.name, wordsOf(alarm)]));
  return { lines: MEASURES.flatMap(lineOf), marks, alarms };
}
