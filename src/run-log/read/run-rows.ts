// Reads runs: the list, newest first, or one run with its specs and its owner's metadata. Independent of the
// HTTP routes.
import { and, asc, count, desc, eq, min, sql } from "drizzle-orm";
import type { RunKey } from "../../core/contract/owner.ts";
import { type Owner, ownerName } from "../../core/contract/owner.ts";
import type { RunMetadata } from "../../core/contract/run-metadata.ts";
import type { Page, RunDetail, RunSummary } from "../../ports/logged-rows.ts";
import type { Database } from "../db/connection.ts";
import { groups, requests, runs, specs } from "../db/schema.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { requestsOf } from "./run-pages.ts";

/** Share of the judge's answers cut off at the spec's token budget; null if not counted. */
const CUT_SHARE = sql<
  number | null
>`sum(${groups.cut})::float8 / nullif(sum(${groups.generations} - ${groups.failed}) FILTER (WHERE ${groups.cut} IS NOT NULL), 0)`;

type RunRow = typeof runs.$inferSelect;

function summary(row: RunRow): RunSummary {
  const { reward_sum, reward_count, parsed_sum, parsed_count, first_at, last_at, owner, ...rest } = row;
  const { alarms_at: _, metadata: __, ...fields } = rest;
  return {
    ...fields,
    owner: ownerName(owner),
    first_at: first_at.toISOString(),
    last_at: last_at.toISOString(),
    reward_mean: reward_count === 0 ? null : reward_sum / reward_count,
    parse_rate: parsed_count === 0 ? null : parsed_sum / parsed_count,
  };
}

/**
 * Reads a page of runs (null: of all owners), newest first. Sorted by the time of each run's first request,
 * so that an active run keeps its position during paging.
 */
export async function runPage(
  db: Database,
  { owner, cursor, limit }: { owner: Owner | null; cursor: string | null; limit: number },
): Promise<Page<RunSummary>> {
  const key = cursor === null ? null : decodeCursor("runs", cursor, ["instant", "text", "text"]);
  const at = key === null ? null : new Date(key[0]);
  const rows = await db
    .select()
    .from(runs)
    .where(
      and(
        owner === null ? undefined : eq(runs.owner, owner),
        key === null || at === null
          ? undefined
          : sql`(${runs.first_at}, ${runs.run_id}, ${runs.owner}) < (${at.toISOString()}, ${key[1]}, ${key[2]})`,
      ),
    )
    .orderBy(desc(runs.first_at), desc(runs.run_id), desc(runs.owner))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    rows: rows.slice(0, limit).map(summary),
    next_cursor: last === undefined ? null : encodeCursor("runs", [last.first_at.getTime(), last.run_id, last.owner]),
  };
}

/** Owners that have a run with this id, sorted by name, at most `limit`. */
export async function runOwners(db: Database, runId: string, limit: number): Promise<Owner[]> {
  const condition = eq(runs.run_id, runId);
  const rows = await db.select({ owner: runs.owner }).from(runs).where(condition).orderBy(asc(runs.owner)).limit(limit);
  return rows.map(({ owner }) => owner);
}

function withTexts(spec: unknown, log_texts: boolean): unknown {
  return typeof spec === "object" && spec !== null && "log_texts" in spec ? { ...spec, log_texts } : spec;
}

/** Reads one run with the specs that it used, in order of first use; null if the owner has no such run. */
export async function runDetail(db: Database, run: RunKey): Promise<RunDetail | null> {
  const [[row], used, cut] = await db.batch([
    db
      .select()
      .from(runs)
      .where(and(eq(runs.run_id, run.run_id), eq(runs.owner, run.owner))),
    db
      .select({
        spec_hash: specs.spec_hash,
        spec: specs.spec,
        requests: count(),
        first_at: min(requests.created_at),
        log_texts: sql<boolean>`coalesce(bool_or(${requests.log_texts}), false)`,
      })
      .from(requests)
      .innerJoin(specs, eq(specs.spec_hash, requests.spec_hash))
      .where(requestsOf(run))
      .groupBy(specs.spec_hash)
      .orderBy(asc(min(requests.created_at)), asc(specs.spec_hash)),
    db
      .select({ spec_hash: requests.spec_hash, share: CUT_SHARE })
      .from(requests)
      .innerJoin(groups, eq(groups.request_id, requests.request_id))
      .where(requestsOf(run))
      .groupBy(requests.spec_hash),
  ]);
  if (row === undefined) return null;
  const shares = new Map(cut.map(({ spec_hash, share }) => [spec_hash, share]));
  return {
    ...summary(row),
    metadata: row.metadata,
    specs: used.map(({ first_at, log_texts, spec, ...use }) => ({
      ...use,
      // A spec is stored once per `spec_hash`, which does not cover log_texts. The value shown is therefore
      // that of this run's requests, not that of the first request that used the spec.
      spec: withTexts(spec, log_texts),
      first_at: (first_at as Date).toISOString(),
      cut_share: shares.get(use.spec_hash) ?? null,
    })),
  };
}

/** Stores the owner's metadata for a run, and creates the run if it has no requests yet. */
export async function describeRun(db: Database, run: RunKey, metadata: RunMetadata): Promise<void> {
  const none = { requests: 0, groups: 0, rollouts: 0, reward_sum: 0, reward_count: 0, parsed_sum: 0, parsed_count: 0 };
  const now = sql`now()`;
  await db
    .insert(runs)
    .values({ ...run, ...none, first_at: now, last_at: now, metadata })
    .onConflictDoUpdate({
      target: [runs.run_id, runs.owner],
      set: { metadata, last_at: sql`greatest(${runs.last_at}, now())` },
    });
}
