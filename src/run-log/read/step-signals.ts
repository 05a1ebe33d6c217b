// Builds the part of the step statement (step-rows.ts) that aggregates each signal of a run's specs.
import type { StepSignal } from "../../ports/logged-rows.ts";
import { ofRequest } from "./run-pages.ts";

/** Values above this are summed in units of UNIT, because a few of them would overflow a double. */
const HUGE = 1e290;
const UNIT = 2 ** 64;

/** Sums of one signal at one step, computed by Postgres. */
export interface StepSignalSums {
  signal: string;
  rollouts: number;
  known: number;
  /**
   * `sum`: the sum of values up to HUGE. `huge`: the sum of larger values in units of UNIT. Null if there are
   * none.
   */
  sum: number | null;
  huge: number | null;
  /** Number of rollouts without a value, by code. */
  nulls: Readonly<Record<string, number>> | null;
}

/**
 * Common table expressions that follow the statement's `req` and end in `per_signal`. For a spec without
 * signals, the three components are read from the rows of its rollouts.
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

/** For each signal: the mean of its known values, and the number of missing values by code. */
export const signalsOf = (sums: readonly StepSignalSums[]): Record<string, StepSignal> =>
  Object.fromEntries(
    sums.map(({ signal, rollouts, known, sum, huge, nulls }) => {
      const mean = known === 0 ? null : (sum ?? 0) / known + ((huge ?? 0) / known) * UNIT;
      return [signal, { mean, rollouts, nulls: nulls ?? {} }];
    }),
  );
