// Owns the windows that stand in for steps where a tool tells none: a run's requests without a
// step, in order of logging, so many groups a window. Knows SQL, not what is read of a window.
import { type SQL, sql } from "drizzle-orm";
import type { RunKey, StepRange } from "../../ports/run-log.ts";
import { requests } from "../db/schema.ts";
import { requestsOf } from "./run-pages.ts";

/**
 * Each such request with its window `k`. Request ids sort by time, so that a window stays as it is
 * while the run goes on; the index by step has these requests first, in this order.
 */
const placed = (run: RunKey, windowGroups: number): SQL =>
  placedOf(sql`${requestsOf(run)} AND ${requests.step} IS NULL`, windowGroups);

/** The same of all of the run's requests, with a step or without: as a run is laid beside one that has none. */
export const placedAll = (run: RunKey, windowGroups: number): SQL => placedOf(requestsOf(run), windowGroups);

const placedOf = (which: SQL | undefined, windowGroups: number): SQL => sql`
  SELECT request_id, kind, items, groups, reward_mean, reward_std, parse_rate, warnings, created_at, spec_hash,
    (sum(greatest(groups, 1)) OVER (ORDER BY request_id ROWS UNBOUNDED PRECEDING) - greatest(groups, 1)) / ${windowGroups}::int AS k
  FROM ${requests} WHERE ${which}`;

/** The requests for rewards of the last windows that have any. */
export const requestsOfLastWindows = (run: RunKey, windowGroups: number, windows: number): SQL => sql`
  SELECT * FROM (SELECT *, dense_rank() OVER (ORDER BY k DESC) AS nth FROM (${placed(run, windowGroups)}) AS placed
    WHERE kind = 'rewards') AS ranked WHERE nth <= ${windows}::int`;

/** The requests of the windows in a range, as of steps. */
export function requestsInWindows(run: RunKey, windowGroups: number, { after, from, to, limit }: StepRange): SQL {
  const lowest = Math.max(from ?? 0, after === null ? 0 : after + 1);
  const bounds = to === null ? sql`k >= ${lowest}::bigint` : sql`k BETWEEN ${lowest}::bigint AND ${to}::bigint`;
  const within = sql`SELECT * FROM (${placed(run, windowGroups)}) AS placed WHERE ${bounds}`;
  if (limit === null) return within;
  return sql`SELECT * FROM (SELECT *, dense_rank() OVER (ORDER BY k) AS nth FROM (${within}) AS bounded) AS ranked WHERE nth <= ${limit}::int`;
}

/** The ids of the requests of one window. */
export const idsInWindow = (run: RunKey, windowGroups: number, window: number): SQL =>
  sql`SELECT request_id FROM (${placed(run, windowGroups)}) AS placed WHERE k = ${window}::bigint`;
