// Defines what each signal of a run's specs came to at a step: a part of the statement over steps. Knows SQL,
// not the wire's routes.
import type { StepSignal } from "../../ports/logged-rows.ts";
import { ofRequest } from "./run-pages.ts";

/** Beyond it a few values add up to more than a double holds: such are summed in another unit. */
const HUGE = 1e290;
const UNIT = 2 ** 64;

/** Postgres' sums for one signal at one step. */
export interface StepSignalSums {
  signal: string;
  rollouts: number;
  known: number;
  /** The sum of values up to HUGE, and of the others in UNITs; null without any. */
  sum: number | null;
  huge: number | null;
  /** By code, those without a value. */
  nulls: Readonly<Record<string, number>> | null;
}

/**
 * `per_signal`, as text behind the statement's `req`. A spec without signals has its three components in the
 * rows of its rollouts.
 */
export const SIGNAL_PARTS = `sig AS MATERIALIZED (
  SELECT k, signal, value, code FROM req ${ofRequest("signals", "signal, value, code")} AS s
  UNION ALL
  SELECT k, part.signal, part.value, part.code
  FROM req ${ofRequest("rollouts", "base, format, overlong, error")} AS r
    CROSS JOIN LATERAL (VALUES ('base', r.base, CASE WHEN r.base IS NULL THEN r.error END),
      ('format', r.format, NULL), ('overlong', r.overlong, NULL)) AS part(signal, value, code)
  WHERE NOT EXISTS (SELECT 1 FROM signals s WHERE s.request_id = req.request_id)
), codes AS (
  SELECT k, signal, json_object_agg(code, n ORDER BY code) AS nulls
  FROM (SELECT k, signal, code, count(*) AS n FROM sig WHERE value IS NULL AND code IS NOT NULL GROUP BY k, signal, code) AS coded
  GROUP BY k, signal
), summed AS (
  SELECT k, signal, count(*) AS rollouts, count(value) AS known, sum(value) FILTER (WHERE abs(value) <= ${HUGE}) AS sum,
    sum(value / ${UNIT}) FILTER (WHERE abs(value) > ${HUGE}) AS huge
  FROM sig GROUP BY k, signal
), per_signal AS (
  SELECT k, json_agg(json_build_object('signal', signal, 'rollouts', rollouts, 'known', known, 'sum', sum, 'huge', huge, 'nulls', nulls)
    ORDER BY signal) AS signals
  FROM summed LEFT JOIN codes USING (k, signal) GROUP BY k
)`;

/** By name: the mean of what is known, and how many have no value, by code. */
export const signalsOf = (sums: readonly StepSignalSums[]): Record<string, StepSignal> =>
  Object.fromEntries(
    sums.map(({ signal, rollouts, known, sum, huge, nulls }) => {
      const mean = known === 0 ? null : (sum ?? 0) / known + ((huge ?? 0) / known) * UNIT;
      return [signal, { mean, rollouts, nulls: nulls ?? {} }];
    }),
  );
