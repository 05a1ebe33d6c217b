// Defines what the build tells the pages' script of the tables of measures and alarms.
import type { ChartTable } from "../chart-table.ts";

declare const CHART_TABLE: ChartTable;
const table: ChartTable = CHART_TABLE;

export { table as CHART_TABLE };
