// Owns the RunLog on Neon Postgres: which statement answers which call, and one round trip for a write. Knows no HTTP route.
import { sql } from "drizzle-orm";
import type { StoredText } from "../core/export-tables.ts";
import { LIMITS } from "../core/limits.ts";
import type { Envelope } from "../core/log-envelope.ts";
import type { Health, RunLog, StoredVerdict } from "../ports.ts";
import { storeStatements } from "./append.ts";
import { type Database, openDatabase, reading, type StoreConfig, sqlState, writing } from "./connection.ts";
import { groupPage } from "./group-rows.ts";
import { wholeEnvelope } from "./log-rows.ts";
import { requestRow } from "./request-rows.ts";
import { runDetail, runPage } from "./run-rows.ts";
import { requests } from "./schema.ts";
import { stepRows } from "./step-rows.ts";
import { runTexts } from "./text-rows.ts";
import { groupVerdicts, runVerdicts } from "./verdict-rows.ts";

const UNDEFINED_TABLE = "42P01";

/**
 * The run log in Neon Postgres over HTTP, or in the embedded database through `fetchEndpoint`. Each call is bounded by store_timeout_ms.
 * Reads throw ApiError `store_unavailable` (or `invalid_request` for a bad cursor); `append` throws StoreWriteError.
 */
export function createNeonRunLog(config: StoreConfig): RunLog {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  const probe = openDatabase(config, LIMITS.readiness_timeout_ms);
  return {
    async append(entry) {
      await store(db, [wholeEnvelope(entry)]);
    },
    runs: (page) => reading(() => runPage(db, page)),
    run: (runId) => reading(() => runDetail(db, runId)),
    steps: (runId) => reading(() => stepRows(db, runId)),
    groups: (runId, page) => reading(() => groupPage(db, runId, page)),
    request: (requestId) => reading(() => requestRow(db, requestId)),
    verdicts: (groupId) => reading(() => groupVerdicts(db, groupId)),
    exportRows(runId, table) {
      if (table === "groups") return exportGroups(db, runId);
      return read<StoredVerdict | StoredText>(table === "verdicts" ? runVerdicts(db, runId) : runTexts(db, runId));
    },
    check: () => health(probe),
  };
}

/** Stores envelopes in one transaction; resolves with the requests that could not be written yet because rows of them are missing. */
export type EnvelopeStore = (envelopes: readonly Envelope[]) => Promise<ReadonlySet<string>>;

/** The queue's way into the same tables. Bounded by store_timeout_ms; rejects with StoreWriteError for any fault of the database. */
export function createEnvelopeStore(config: StoreConfig): EnvelopeStore {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return (envelopes) => store(db, envelopes);
}

async function store(db: Database, envelopes: readonly Envelope[]): Promise<ReadonlySet<string>> {
  const [first, ...rest] = storeStatements(envelopes).map((statement) => db.execute<{ request_id: string }>(statement));
  if (first === undefined) return new Set();
  const results = await writing(() => db.batch([first, ...rest]));
  return new Set(results.flatMap(({ rows }) => rows.map(({ request_id }) => request_id)));
}

async function* exportGroups(db: Database, runId: string) {
  let cursor: string | null = null;
  do {
    const page = await reading(() => groupPage(db, runId, { step: null, cursor, limit: LIMITS.page_rows_max }));
    yield* page.rows;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

async function* read<T>(rows: AsyncGenerator<T>) {
  for (let row = await reading(() => rows.next()); !row.done; row = await reading(() => rows.next())) yield row.value;
}

/** Asks the newest table, so that a database that answers but was never migrated is not called ready. */
async function health(db: Database): Promise<Health> {
  const start = performance.now();
  const latency = () => Math.round(performance.now() - start);
  try {
    await db.select({ one: sql`1` }).from(requests).limit(1);
    return { ok: true, latency_ms: latency() };
  } catch (error) {
    const detail = sqlState(error) === UNDEFINED_TABLE ? "not migrated" : "unreachable";
    return { ok: false, latency_ms: latency(), detail };
  }
}
