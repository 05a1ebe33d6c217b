// Owns what charts of a run's page show, as the tables of measures and alarms say: told to the
// pages' script at its build, so that it holds no SQL and no rule.
import { pageOf as pageOfAlarm } from "../../../src/core/health/alarm.ts";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import type { MeasureName } from "../../../src/core/health/health-row.ts";
import { type Drawn, type Measure, pageOf, type Unit } from "../../../src/core/health/measures/measure.ts";
import { MEASURES } from "../../../src/core/health/measures/table.ts";

const AXES: Partial<Record<Unit, string>> = { correlation: "Spearman's correlation" };

export interface Line extends Drawn {
  measure: MeasureName;
  /** What the axis of a chart of its own says. */
  unit: string;
}

export interface ChartTable {
  lines: Line[];
  /** Alarms by the title of a chart that marks where they began. */
  marks: Record<string, string[]>;
  /** What each alarm must have before it can say anything. */
  needs: Record<string, string>;
}

const lineOf = (measure: Measure): Line[] => {
  const { drawn } = pageOf(measure);
  const name = measure.name as MeasureName;
  return drawn === undefined ? [] : [{ ...drawn, measure: name, unit: AXES[measure.unit] ?? measure.unit }];
};

export function chartTable(): ChartTable {
  const marks: Record<string, string[]> = {};
  for (const alarm of ALARMS) {
    for (const chart of pageOfAlarm(alarm).marked_on ?? []) marks[chart] = [...(marks[chart] ?? []), alarm.name];
  }
  const needs = Object.fromEntries(ALARMS.map((alarm) => [alarm.name, pageOfAlarm(alarm).needs]));
  return { lines: MEASURES.flatMap(lineOf), marks, needs };
}
