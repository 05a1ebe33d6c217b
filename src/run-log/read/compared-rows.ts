// Owns the reads by which a run is compared with another: its steps, and of a step's groups no more
// than is paired. Knows SQL, not the pairing.
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { LoggedComparison } from "../../core/health/paired-runs.ts";
import type { RunKey } from "../../ports/run-log.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, rollouts } from "../db/schema.ts";
import { requestsOf } from "./run-pages.ts";

/** The steps of which there are groups, ascending: in the order of the index by step. */
export async function stepsWithGroups(db: Database, run: RunKey): Promise<number[]> {
  const { step } = requests;
  const rows = await db
    .selectDistinct({ step })
    .from(requests)
    .where(and(requestsOf(run), isNotNull(step), gt(requests.groups, 0)))
    .orderBy(sql`${step} NULLS FIRST`);
  return rows.flatMap((row) => row.step ?? []);
}

/** A step's complete groups, oldest first: the others' rewards rest on a part of their rollouts. */
export function comparedGroups(db: Database, run: RunKey, step: number): Promise<LoggedComparison[]> {
  const { request_id, group_index, prompt_hash, spec_hash, tau_b } = groups;
  const ofGroup = and(eq(rollouts.request_id, request_id), eq(rollouts.group_index, group_index));
  const groupRewards = sql`SELECT json_agg(${rollouts.reward} ORDER BY ${rollouts.rollout_index}) FROM ${rollouts} WHERE ${ofGroup}`;
  return db
    .select({ prompt_hash, spec_hash, tau_b, rewards: sql<(number | null)[]>`(${groupRewards})` })
    .from(requests)
    .innerJoin(groups, eq(request_id, requests.request_id))
    .where(and(requestsOf(run), eq(requests.step, step), eq(groups.status, "ok")))
    .orderBy(asc(request_id), asc(group_index));
}
