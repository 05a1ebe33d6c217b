// Defines what an alarm is, and how its values over the steps become spans: with hysteresis, so that it does
// not flicker. The alarms: alarms/.
import type { HealthRow } from "./health-row.ts";

export type Level = "watch" | "alarm";

/** Where a span's value was worst. */
export interface Worst {
  value: number;
  row: HealthRow;
  /** The rows up to it. */
  past: readonly HealthRow[];
}

/** One rule, pure over a run's rows; its name is its heading under /docs/alarms. */
export interface Alarm {
  name: string;
  /** Whether high or low values are bad. */
  bad: "above" | "below";
  /** Beyond it somebody should look soon. */
  watch?: number;
  /** Beyond it the run is in danger. */
  alarm: number;
  /** It ends when values are back on this side for `CLEAR_STEPS` steps. */
  clear: number;
  /** One value a row; null where nothing can be said, which changes nothing. */
  series(rows: readonly HealthRow[]): readonly (number | null)[];
  /** Its meaning there, with its unit: a clause to which `since step 7` can be added. */
  says(worst: Worst): string;
  /** Fields of the worst row that help to find the cause. */
  detail?(row: HealthRow): Readonly<Record<string, unknown>>;
}

/** An alarm's text at /docs/alarms, in Markdown, and where the page of a run marks its beginnings. */
export interface AlarmPage {
  rule: string;
  ends_at: string;
  /** Data that must have been logged before anything can be said. */
  needs: string;
  look_at: string;
  /** The column of a step's groups that shows it, and which go first; absent: none does. */
  groups_by?: readonly [column: string, first: "most" | "least"];
  /** Titles of charts. */
  marked_on?: readonly string[];
}

const pages = new WeakMap<Alarm, AlarmPage>();

/** Gives an alarm its page: as of a measure, by an export that the Worker's bundle leaves out. */
export function documented(alarm: Alarm, page: AlarmPage): AlarmPage {
  pages.set(alarm, page);
  return page;
}

/** An alarm's page. Throws where it has none. */
export function pageOf(alarm: Alarm): AlarmPage {
  const page = pages.get(alarm);
  if (page === undefined) throw new Error(`the alarm ${alarm.name} has no page: documented(..)`);
  return page;
}

/** Steps that an alarm was on, in a row. */
export interface AlarmSpan {
  alarm: string;
  level: Level;
  from_step: number;
  /** Last step at which it was on; null while it is. */
  to_step: number | null;
  /** The fault, as a sentence. */
  says: string;
  /** The worst value within the span, its step, and the threshold. */
  evidence: { step: number; value: number; threshold: number; detail?: Readonly<Record<string, unknown>> };
}

/** Steps in a row on the good side that end an alarm. */
export const CLEAR_STEPS = 3;

interface Open {
  level: Level;
  from: number;
  worst: number;
  last: number;
  calm: number;
}

function levelOf({ bad, watch, alarm }: Alarm, value: number): Level | null {
  const beyond = (threshold: number) => (bad === "above" ? value > threshold : value < threshold);
  if (beyond(alarm)) return "alarm";
  return watch !== undefined && beyond(watch) ? "watch" : null;
}

/** The spans of one alarm over a run's rows, which come in order of their steps. */
export function spansOf(alarm: Alarm, rows: readonly HealthRow[], values = alarm.series(rows)): AlarmSpan[] {
  const sign = alarm.bad === "above" ? 1 : -1;
  const spans: AlarmSpan[] = [];
  let open: Open | null = null;
  const close = ({ level, from, worst, last }: Open, ended: boolean) => {
    const [row, value] = [rows[worst] as HealthRow, values[worst] as number];
    const threshold = level === "watch" ? (alarm.watch as number) : alarm.alarm;
    const detail = alarm.detail?.(row);
    spans.push({
      alarm: alarm.name,
      level,
      from_step: (rows[from] as HealthRow).step,
      to_step: ended ? (rows[last] as HealthRow).step : null,
      says: alarm.says({ value, row, past: rows.slice(0, worst + 1) }),
      evidence: { step: row.step, value, threshold, ...(detail !== undefined && { detail }) },
    });
  };
  values.forEach((value, i) => {
    if (value === null) return;
    const level = levelOf(alarm, value);
    if (open === null) {
      if (level !== null) open = { level, from: i, worst: i, last: i, calm: 0 };
      return;
    }
    if (level === "alarm") open.level = "alarm";
    if (sign * value > sign * (values[open.worst] as number)) open.worst = i;
    const calm = alarm.bad === "above" ? value <= alarm.clear : value >= alarm.clear;
    open.calm = calm ? open.calm + 1 : 0;
    if (!calm) open.last = i;
    if (open.calm < CLEAR_STEPS) return;
    close(open, true);
    open = null;
  });
  if (open !== null) close(open, false);
  return spans;
}

/** A run's alarms. */
export interface Look {
  /** Every span of every alarm. */
  spans: AlarmSpan[];
  /** Alarms that had something to look at: of all others silence says nothing. */
  looked_at: string[];
}

/** A look of all alarms at a run's rows, which come in order of their steps. */
export function lookOver(alarms: readonly Alarm[], rows: readonly HealthRow[]): Look {
  const seen = alarms.map((alarm) => ({ alarm, values: alarm.series(rows) }));
  return {
    spans: seen.flatMap(({ alarm, values }) => spansOf(alarm, rows, values)),
    looked_at: seen.flatMap(({ alarm, values }) => (values.some((value) => value !== null) ? [alarm.name] : [])),
  };
}
