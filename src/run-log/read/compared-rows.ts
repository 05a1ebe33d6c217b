// Owns the reads by which a run is compared with another: its steps, and of a step's groups no more
// than is paired. Knows SQL, not the pairing.
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { LoggedComparison } from "../../core/health/paired-runs.ts";
import { BY_STEP, type RunAxis } from "../../ports/run-axis.ts";
import type { RunKey } from "../../ports/run-log.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, rollouts } from "../db/schema.ts";
import { requestsOf } from "./run-pages.ts";
import { placedAll } from "./run-windows.ts";

/**
 * The steps of which there are groups, ascending: in the order of the index by step. By window those
 * of all of the run's requests.
 */
export async function stepsWithGroups(db: Database, run: RunKey, axis: RunAxis = BY_STEP): Promise<number[]> {
  if (axis.by === "window") {
    const windows = sql`SELECT DISTINCT k::int AS k FROM (${placedAll(run, axis.window_groups)}) AS placed WHERE groups > 0 ORDER BY k`;
    return (await db.execute<{ k: number }>(windows)).rows.map(({ k }) => k);
  }
  const { step } = requests;
  const rows = await db
    .selectDistinct({ step })
    .from(requests)
    .where(and(requestsOf(run), isNotNull(step), gt(requests.groups, 0)))
    .orderBy(sql`${step} NULLS FIRST`);
  return rows.flatMap((row) => row.step ?? []);
}

/** A step's complete groups, oldest first: the others' rewards rest on a part of their rollouts. */
export function comparedGroups(
  db: Database,
  run: RunKey,
  step: number,
  axis: RunAxis = BY_STEP,
): Promise<LoggedComparison[]> {
  const { request_id, group_index, prompt_hash, spec_hash, tau_b } = groups;
  const ofGroup = and(eq(rollouts.request_id, request_id), eq(rollouts.group_index, group_index));
  const groupRewards = sql`SELECT json_agg(${rollouts.reward} ORDER BY ${rollouts.rollout_index}) FROM ${rollouts} WHERE ${ofGroup}`;
  const within =
    axis.by === "step"
      ? eq(requests.step, step)
      : sql`${requests.request_id} IN (SELECT request_id FROM (${placedAll(run, axis.window_groups)}) AS placed WHERE k = ${step}::bigint)`;
  return db
    .select({ prompt_hash, spec_hash, tau_b, rewards: sql<(number | null)[]>`(${groupRewards})` })
    .from(requests)
    .innerJoin(groups, eq(request_id, requests.request_id))
    .where(and(requestsOf(run), within, eq(groups.status, "ok")))
    .orderBy(asc(request_id), asc(group_index));
}
