// Owns the reads of groups: rows put back together into the result as it was answered. Knows SQL, not the wire's routes.
import { and, asc, eq, gt, inArray, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { GroupResult, RolloutResult } from "../core/contract-replies.ts";
import { LIMITS } from "../core/limits.ts";
import type { GroupRow, Page } from "../ports.ts";
import type { Database } from "./connection.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { groups, requests, rollouts } from "./schema.ts";

type StoredGroup = typeof groups.$inferSelect;
type StoredRollout = typeof rollouts.$inferSelect;

function rolloutResult(row: StoredRollout): RolloutResult {
  return {
    reward: row.reward,
    error: row.error as RolloutResult["error"],
    components: { base: row.base, format: row.format, overlong: row.overlong },
    wins: row.wins,
    losses: row.losses,
    ties: row.ties,
    undecided: row.undecided,
    forfeits: row.forfeits,
    unparsed: row.unparsed,
    votes: row.votes,
    rank: row.rank,
    duplicate_of: row.duplicate_of,
    format_ok: row.format_ok,
  };
}

function groupResult(row: StoredGroup, members: readonly StoredRollout[]): GroupResult {
  return {
    group_id: row.group_id,
    status: row.status,
    win_counts: row.win_counts,
    selected: row.selected,
    selected_tied: row.selected_tied,
    rollouts: members.map(rolloutResult),
    metrics: {
      parse_rate: row.parse_rate,
      tau_b: row.tau_b,
      tau_b_undefined: row.tau_b_undefined as GroupResult["metrics"]["tau_b_undefined"],
      list_acc: row.list_acc,
      position_flip_rate: row.position_flip_rate,
      reward_mean: row.reward_mean,
      reward_std: row.reward_std,
    },
    verifier: {
      comparisons: row.comparisons,
      generations: row.generations,
      parsed: row.parsed,
      unparsed: row.unparsed,
      failed: row.failed,
      saved: row.saved,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      latency_ms: { p50: row.latency_p50_ms, p99: row.latency_p99_ms, max: row.latency_max_ms },
      models: row.models,
    },
  };
}

/** The public id of a group. */
export function groupKey(request_id: string, group_index: number): string {
  return `${request_id}.${group_index}`;
}

function groupRow(row: StoredGroup, members: readonly StoredRollout[]): GroupRow {
  return {
    id: groupKey(row.request_id, row.group_index),
    request_id: row.request_id,
    run_id: row.run_id,
    step: row.step,
    spec_hash: row.spec_hash,
    created_at: row.created_at.toISOString(),
    prompt_hash: row.prompt_hash,
    language: row.language,
    pass_rates: members.map((member) => member.pass_rate),
    rewards: members.map((member) => member.reward),
    result: groupResult(row, members),
  };
}

/** The groups that `where` selects, oldest first, at most `limit`, whole; one round trip. */
async function selectGroups(db: Database, where: SQL | undefined, limit: number): Promise<GroupRow[]> {
  const order = [asc(groups.request_id), asc(groups.group_index)] as const;
  const wanted = db
    .select({ request_id: groups.request_id, group_index: groups.group_index })
    .from(groups)
    .where(where)
    .orderBy(...order)
    .limit(limit);
  const [found, members] = await db.batch([
    db
      .select()
      .from(groups)
      .where(where)
      .orderBy(...order)
      .limit(limit),
    db
      .select()
      .from(rollouts)
      .where(inArray(sql`(${rollouts.request_id}, ${rollouts.group_index})`, wanted))
      .orderBy(asc(rollouts.request_id), asc(rollouts.group_index), asc(rollouts.rollout_index)),
  ]);
  const byGroup = Map.groupBy(members, (member) => groupKey(member.request_id, member.group_index));
  return found.map((row) => groupRow(row, byGroup.get(groupKey(row.request_id, row.group_index)) ?? []));
}

/** A request that came in parts is found only with its own row, which is written when all parts are there. */
export function requestIsStored(requestId: PgColumn): SQL {
  return sql`EXISTS (SELECT 1 FROM ${requests} WHERE ${requests.request_id} = ${requestId})`;
}

/** A page of a run's groups, oldest first; of one step when `step` is given. */
export async function groupPage(
  db: Database,
  runId: string,
  { step, cursor, limit }: { step: number | null; cursor: string | null; limit: number },
): Promise<Page<GroupRow>> {
  const key = cursor === null ? null : decodeCursor("groups", cursor, ["string", "number"]);
  const after =
    key === null
      ? undefined
      : or(
          gt(groups.request_id, key[0]),
          and(eq(groups.request_id, key[0]), gt(sql`${groups.group_index}::bigint`, key[1])),
        );
  const ofStep = step === null ? undefined : eq(groups.step, step);
  const of = and(eq(groups.run_id, runId), ofStep, after, requestIsStored(groups.request_id));
  const rows = await selectGroups(db, of, limit + 1);
  const more = rows.length > limit;
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next_cursor: more && last !== undefined ? encodeCursor("groups", keyOf(last)) : null };
}

function keyOf({ id, request_id }: GroupRow): [string, number] {
  return [request_id, Number(id.slice(request_id.length + 1))];
}

/** Every group of one request in the request's order; none for an unknown id. */
export function groupsOf(db: Database, requestId: string): Promise<GroupRow[]> {
  return selectGroups(db, eq(groups.request_id, requestId), LIMITS.groups_max);
}
