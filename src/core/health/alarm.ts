// Alarms: rules over a run's steps, and the conversion of the rules' values to spans of steps. Hysteresis
// keeps an alarm from flickering. The individual alarms are in alarms/.
import type { HealthRow } from "./health-row.ts";

export type Level = "watch" | "alarm";

/** The worst value within a span of steps, and its row. */
export interface Worst {
  value: number;
  row: HealthRow;
  /** The rows up to and including `row`. */
  past: readonly HealthRow[];
}

/** One rule: a pure function of a run's rows. The name is the rule's heading under /docs/alarms. */
export interface Alarm {
  name: string;
  /** Whether values above or below the thresholds indicate a problem. */
  bad: "above" | "below";
  /** Threshold of level `watch`: the run should be checked soon. */
  watch?: number;
  /** Threshold of level `alarm`: the run is in danger. */
  alarm: number;
  /** The alarm ends when values stay on the good side of this threshold for `CLEAR_STEPS` steps. */
  clear: number;
  /** One value per row; null if unknown, which leaves the alarm's state unchanged. */
  series(rows: readonly HealthRow[]): readonly (number | null)[];
  /** Describes the worst value with its unit: a clause that can be followed by `since step 7`. */
  says(worst: Worst): string;
  /** Fields of the worst row that help find the cause. */
  detail?(row: HealthRow): Readonly<Record<string, unknown>>;
}

/**
 * An alarm's description at /docs/alarms, in Markdown, and the charts on the run page that mark where the
 * alarm starts.
 */
export interface AlarmPage {
  rule: string;
  ends_at: string;
  /** The data that must be logged for the alarm to have values. */
  needs: string;
  look_at: string;
  /**
   * The column and direction by which to sort a step's groups to find the cause. Omitted if no column helps.
   */
  groups_by?: readonly [column: string, first: "most" | "least"];
  /** Titles of the charts that mark the alarm. */
  marked_on?: readonly string[];
  /** Set if the thresholds are in the charts' own unit, so that the charts draw them as lines. */
  draws_threshold?: true;
}

const pages = new WeakMap<Alarm, AlarmPage>();

/**
 * Attaches a page to an alarm. Pages are separate exports, so that a Worker's bundle does not include them.
 */
export function documented(alarm: Alarm, page: AlarmPage): AlarmPage {
  pages.set(alarm, page);
  return page;
}

/** Returns an alarm's page. Throws if the alarm has none. */
export function pageOf(alarm: Alarm): AlarmPage {
  const page = pages.get(alarm);
  if (page === undefined) throw new Error(`the alarm ${alarm.name} has no page; add one with documented(..)`);
  return page;
}

/** A period of consecutive steps during which an alarm is on. */
export interface AlarmSpan {
  alarm: string;
  level: Level;
  from_step: number;
  /** Last step at which the alarm was on; null if it is still on. */
  to_step: number | null;
  /** Describes the problem in a sentence. */
  says: string;
  /** The worst value within the span, with its step and the threshold that it crossed. */
  evidence: { step: number; value: number; threshold: number; detail?: Readonly<Record<string, unknown>> };
}

/** Number of consecutive steps on the good side of the threshold after which an alarm ends. */
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

/** The spans of one alarm over a run's rows, sorted by step. */
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

/** The result of checking a run. */
export interface Look {
  spans: AlarmSpan[];
  /** Alarms that had at least one value. For all other alarms, the absence of spans means nothing. */
  looked_at: string[];
}

/** Evaluates all alarms on a run's rows, which must be sorted by step. */
export function lookOver(alarms: readonly Alarm[], rows: readonly HealthRow[]): Look {
  const seen = alarms.map((alarm) => ({ alarm, values: alarm.series(rows) }));
  return {
    spans: seen.flatMap(({ alarm, values }) => spansOf(alarm, rows, values)),
    looked_at: seen.flatMap(({ alarm, values }) => (values.some((value) => value !== null) ? [alarm.name] : [])),
  };
}
