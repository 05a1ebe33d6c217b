// Owns what a measure of a run's steps is: a number for each step, as SQL over what was logged of
// it. Knows no database: src/run-log/read/health-rows.ts makes one statement of all.

/** A share is in [0, 1], a correlation in [-1, 1]; what is counted is 0 where nothing was logged. */
export type Unit = "count" | "counts" | "share" | "correlation" | "reward" | "tokens" | "ms";

export interface Measure {
  /** Its field in a row of `GET /v1/runs/:run_id/health?rows=true`. */
  name: string;
  unit: Unit;
  /** Rows with the step as `k`: those below, or a query of its own over them. */
  from: string;
  /** An aggregate over those of one step; null where nothing of the kind was logged at it. */
  sql: string;
}

/** With its name and unit as types: rows of steps have their fields from the table. */
export const measure = <N extends string, U extends Unit>(name: N, unit: U, from: string, sql: string) =>
  ({ name, unit, from, sql }) satisfies Measure;

/** A row a request: `request_id`, `warnings`, `created_at`. */
export const REQUESTS = "req";
/** A row a group: the table `groups`. */
export const GROUPS = "req JOIN groups USING (request_id)";
/** A row a rollout: the table `rollouts`, `prompt_hash`, and the reward in complete groups as `complete`. */
export const ROLLOUTS = "rol";

/**
 * Ties share the mean of their ranks, as Spearman's correlation wants it. Ranks have squares that
 * Postgres can hold, whatever the values.
 */
export const meanRank = (within: string, column: string): string =>
  `rank() OVER (PARTITION BY ${within} ORDER BY ${column}) + (count(*) OVER (PARTITION BY ${within}, ${column}) - 1) / 2.0`;

/** A row a group: Spearman's correlation `rho` of two columns over its rollouts that have both. */
export function withinGroups(one: string, other: string): string {
  const [x, y] = [one, other].map((column) => meanRank("request_id, group_index", column));
  const ranked = `SELECT k, request_id, group_index, ${x} AS x, ${y} AS y FROM rol WHERE ${one} IS NOT NULL AND ${other} IS NOT NULL`;
  return `(SELECT k, corr(x, y) AS rho FROM (${ranked}) AS ranked GROUP BY k, request_id, group_index) AS of_group`;
}

export interface Drawn {
  /** The title of a chart, which it has for itself if no other has that title. */
  chart: string;
  /** The line's name. */
  as: string;
  /** Steps without a value have no point: the line goes on to the next that has one. */
  bridged?: true;
}

interface MeasurePage {
  /** What the reference says of the field. */
  words: string;
  /** Its line on the page of a run. */
  drawn?: Drawn;
}

const pages = new WeakMap<Measure, MeasurePage>();

/**
 * Gives a measure its page. Call it as an unused export behind a mark of purity, so that the
 * Worker's bundle holds nothing of it: test/stack/bundle.test.ts.
 */
export function documented(measure: Measure, page: MeasurePage): MeasurePage {
  pages.set(measure, page);
  return page;
}

/** A measure's page. Throws where it has none. */
export function pageOf(measure: Measure): MeasurePage {
  const page = pages.get(measure);
  if (page === undefined) throw new Error(`the measure ${measure.name} has no page: documented(..)`);
  return page;
}
