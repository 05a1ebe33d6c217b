// Reads logged groups and reassembles their rows into the results sent to clients. Independent of the HTTP
// routes.
import { and, asc, eq, getTableColumns, gt, gte, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { GroupResult, RolloutResult } from "../../core/contract/group-reply.ts";
import type { Owner, RunKey } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { mayCome } from "../../core/faults/mendable.ts";
import { PROMPT_HEAD_CHARS, promptBegins } from "../../core/transcript/prompt-begins.ts";
import type { GroupRow, Page } from "../../ports/logged-rows.ts";
import type { GroupsWanted } from "../../ports/run-log.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, rollouts, signals, texts } from "../db/schema.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { requestsOf } from "./run-pages.ts";

type StoredGroup = typeof groups.$inferSelect & Pick<typeof requests.$inferSelect, "kind">;
type StoredRollout = typeof rollouts.$inferSelect;
type StoredSignalRow = typeof signals.$inferSelect;

/** The rollout and signal rows of a group, and the first words of its prompt, empty if it is not stored. */
interface Members {
  rollouts: readonly StoredRollout[];
  signals: readonly StoredSignalRow[];
  begins: string;
}

/** Components of a rollout: from its signal rows if the spec has signals, otherwise from its own row. */
function componentsOf(
  row: StoredRollout,
  signalRows: readonly StoredSignalRow[],
): Pick<RolloutResult, "components" | "errors"> {
  const rollout = signalRows.filter(({ rollout_index }) => rollout_index === row.rollout_index);
  if (rollout.length === 0) return { components: { base: row.base, format: row.format, overlong: row.overlong } };
  const codeOf = ({ signal, code }: StoredSignalRow) => [signal, code as RolloutResult["error"]] as const;
  return {
    components: Object.fromEntries(rollout.map(({ signal, value }) => [signal, value])),
    errors: Object.fromEntries(rollout.map(codeOf)),
  };
}

/** @param failed whether any of the group's verifier questions failed */
function rolloutResult(row: StoredRollout, signalRows: readonly StoredSignalRow[], failed: boolean): RolloutResult {
  const error = row.error as RolloutResult["error"];
  return {
    reward: row.reward,
    error,
    ...(error !== null && { retryable: mayCome(error, failed) }),
    ...componentsOf(row, signalRows),
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
    jams_judge: row.jams_judge,
    ...(row.shown !== null && { shown: row.shown }),
    ...(row.left_out !== null && { left_out: row.left_out }),
  };
}

function groupResult(row: StoredGroup, members: Members): GroupResult {
  const { contest } = row;
  const results = members.rollouts.map((member) => rolloutResult(member, members.signals, row.failed > 0));
  return {
    group_id: row.group_id,
    status: row.status,
    win_counts: row.win_counts,
    ...(contest && { points: contest.points }),
    selected: row.selected,
    selected_tied: row.selected_tied,
    rollouts: contest ? results.map((result, r) => ({ ...result, unasked: contest.unasked[r] ?? 0 })) : results,
    metrics: {
      parse_rate: row.parse_rate,
      tau_b: row.tau_b,
      tau_b_undefined: row.tau_b_undefined as GroupResult["metrics"]["tau_b_undefined"],
      list_acc: row.list_acc,
      position_flip_rate: row.position_flip_rate,
      reward_mean: row.reward_mean,
      reward_std: row.reward_std,
      ...(members.signals.length > 0 && { parts_correlation: row.parts_correlation }),
      ...contest?.measures,
    },
    ...(row.shared_turns !== null && { shared_turns: row.shared_turns }),
    verifier: {
      comparisons: row.comparisons,
      generations: row.generations,
      parsed: row.parsed,
      unparsed: row.unparsed,
      ...(row.cut && { cut: row.cut }),
      failed: row.failed,
      saved: row.saved,
      prompt_tokens: row.prompt_tokens,
      completion_tokens: row.completion_tokens,
      latency_ms: { p50: row.latency_p50_ms, p99: row.latency_p99_ms, max: row.latency_max_ms },
      models: row.models,
      ...contest?.asked,
    },
  };
}

/** Formats the public id of a group. */
export function groupKey(request_id: string, group_index: number): string {
  return `${request_id}.${group_index}`;
}

/** Parses a public group id; null if it is malformed. */
export function groupOfKey(id: string): { requestId: string; index: number } | null {
  const [, requestId, index] = /^([0-9A-Za-z]{1,64})\.(\d{1,4})$/.exec(id) ?? [];
  return requestId === undefined ? null : { requestId, index: Number(index) };
}

function groupRow(row: StoredGroup, members: Members): GroupRow {
  const audit = members.rollouts.map((member) => member.audit);
  const turns = members.rollouts.map((member) => member.turns);
  return {
    id: groupKey(row.request_id, row.group_index),
    request_id: row.request_id,
    run_id: row.run_id,
    step: row.step,
    spec_hash: row.spec_hash,
    created_at: row.created_at.toISOString(),
    prompt_hash: row.prompt_hash,
    ...(members.begins !== "" && { prompt_begins: members.begins }),
    language: row.language,
    pass_rates: members.rollouts.map((member) => member.pass_rate),
    length_tokens: members.rollouts.map((member) => member.length_tokens),
    finish_reasons: members.rollouts.map((member) => member.finish_reason),
    rewards: members.rollouts.map((member) => member.reward),
    ...(audit.some((score) => score !== null) && { audit }),
    ...(turns.some((count) => count !== null) && { turns }),
    ...(row.kind === "verdicts" && { kind: row.kind }),
    result: groupResult(row, members),
  };
}

/**
 * Reads the groups whose keys the subquery `wanted` selects, each with all its rows, oldest first, in one
 * round trip.
 */
async function wholeGroups(db: Database, wanted: SQL): Promise<GroupRow[]> {
  const isWanted = (table: typeof groups | typeof rollouts | typeof signals | typeof texts) =>
    inArray(sql`(${table.request_id}, ${table.group_index})`, sql`(${wanted})`);
  const [found, members, signalRows, prompts] = await db.batch([
    db
      .select({ ...getTableColumns(groups), kind: requests.kind })
      .from(groups)
      .innerJoin(requests, eq(requests.request_id, groups.request_id))
      .where(isWanted(groups))
      .orderBy(asc(groups.request_id), asc(groups.group_index)),
    db
      .select()
      .from(rollouts)
      .where(isWanted(rollouts))
      .orderBy(asc(rollouts.request_id), asc(rollouts.group_index), asc(rollouts.rollout_index)),
    db.select().from(signals).where(isWanted(signals)).orderBy(sql`${signals.signal} COLLATE "C"`),
    db
      .select({
        request_id: texts.request_id,
        group_index: texts.group_index,
        head: sql<string>`left(${texts.text}, ${PROMPT_HEAD_CHARS})`,
      })
      .from(texts)
      .where(and(isWanted(texts), eq(texts.rollout_index, -1), eq(texts.part, 0))),
  ]);
  const keyOf = (row: { request_id: string; group_index: number }) => groupKey(row.request_id, row.group_index);
  const [rolloutsOf, signalsOf] = [Map.groupBy(members, keyOf), Map.groupBy(signalRows, keyOf)];
  const headOf = new Map(prompts.map((row) => [keyOf(row), row.head]));
  return found.map((row) => {
    const key = keyOf(row);
    const begins = promptBegins(headOf.get(key) ?? "");
    return groupRow(row, { rollouts: rolloutsOf.get(key) ?? [], signals: signalsOf.get(key) ?? [], begins });
  });
}

/**
 * SQL condition: the request's own row exists and belongs to `owner` (null: any owner). That row is written
 * only when all parts of the request are stored.
 */
export function requestIsStored(requestId: PgColumn, owner: Owner | null): SQL {
  const ofOwner = owner === null ? undefined : eq(requests.owner, owner);
  return sql`EXISTS (SELECT 1 FROM ${requests} WHERE ${and(eq(requests.request_id, requestId), ofOwner)})`;
}

/**
 * Reads a page of a run's groups, oldest first, optionally of a single step. The query starts from the run's
 * requests, because only they have the owner; each request is one range of the groups' primary key.
 */
export async function groupPage(
  db: Database,
  run: RunKey,
  { cursor, limit, step }: GroupsWanted,
): Promise<Page<GroupRow>> {
  const [from, index] = cursor === null ? (["", -1] as const) : decodeCursor("groups", cursor, ["text", "index"]);
  const atStep = step === null ? undefined : eq(requests.step, step);
  const condition = and(requestsOf(run), atStep, gt(requests.groups, 0), gte(requests.request_id, from));
  const rows = await wholeGroups(
    db,
    sql`SELECT page.request_id, page.group_index FROM ${requests} CROSS JOIN LATERAL (
        SELECT ${groups.request_id}, ${groups.group_index} FROM ${groups} WHERE ${groups.request_id} = ${requests.request_id}
          AND (${groups.request_id}, ${groups.group_index}) > (${from}, ${index}) ORDER BY ${groups.group_index} LIMIT ${limit + 1}
      ) AS page WHERE ${condition} ORDER BY ${requests.request_id}, page.group_index LIMIT ${limit + 1}`,
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next_cursor: last === undefined ? null : encodeCursor("groups", keyOf(last)) };
}

function keyOf({ id, request_id }: GroupRow): [string, number] {
  return [request_id, Number(id.slice(request_id.length + 1))];
}

/** Reads all groups of one request, in the request's order; empty for an unknown id. */
export function groupsOf(db: Database, requestId: string): Promise<GroupRow[]> {
  return wholeGroups(
    db,
    sql`SELECT request_id, group_index FROM ${groups} WHERE ${groups.request_id} = ${requestId} ORDER BY group_index LIMIT ${LIMITS.groups_max}`,
  );
}
