// The RunLog port on Neon Postgres: maps each call to its statements, with one round trip per write.

import type { RunKey } from "../core/contract/owner.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { ExportRow } from "../ports/logged-rows.ts";
import type { Clock, Health } from "../ports/ports.ts";
import type { LogExpiry } from "../ports/run-changes.ts";
import type { RunLog } from "../ports/run-log.ts";
import { type Database, isNotMigrated, openDatabase, reading, type StoreConfig, writing } from "./db/connection.ts";
import { requests } from "./db/schema.ts";
import { groupPage } from "./read/group-rows.ts";
import { healthRows } from "./read/health-rows.ts";
import { lacksLengths, loggedGroups, specsUsed } from "./read/logged-groups.ts";
import { requestRow } from "./read/request-rows.ts";
import { describeRun, runDetail, runOwners, runPage } from "./read/run-rows.ts";
import { runSignals } from "./read/signal-rows.ts";
import { stepRows } from "./read/step-rows.ts";
import { groupTexts, runTexts } from "./read/text-rows.ts";
import { runTurns } from "./read/turn-rows.ts";
import { groupVerdicts, runAuditVerdicts, runVerdicts } from "./read/verdict-rows.ts";
import { storeStatements } from "./write/append.ts";
import { deleteMarked, deleteOlder, deleteRows, markDeleted } from "./write/deletion.ts";
import type { Envelope, EnvelopeStore } from "./write/envelope.ts";
import { wholeEnvelope } from "./write/log-rows.ts";

const EXPORTS = {
  verdicts: runVerdicts,
  audit_verdicts: runAuditVerdicts,
  texts: runTexts,
  signals: runSignals,
  turns: runTurns,
};

/**
 * The run log in Neon Postgres over HTTP, or in the embedded database through `fetchEndpoint`. Each call is
 * limited to store_timeout_ms. All methods except `append` throw ApiError `store_unavailable` (or
 * `invalid_request` for a bad cursor); `append` throws StoreWriteError.
 */
export function createNeonRunLog(config: StoreConfig): RunLog {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  const probe = openDatabase(config, LIMITS.readiness_timeout_ms);
  return {
    async append(entry) {
      await store(db, [wholeEnvelope(entry)]);
    },
    runs: (page) => reading(() => runPage(db, page)),
    owners: (runId, limit) => reading(() => runOwners(db, runId, limit)),
    run: (run) => reading(() => runDetail(db, run)),
    steps: (run, range, signals) => reading(() => stepRows(db, run, range, signals)),
    health: (run, steps) => reading(() => healthRows(db, run, steps)),
    groups: (run, page) => reading(() => groupPage(db, run, page)),
    request: (requestId, owner) => reading(() => requestRow(db, requestId, owner)),
    texts: (groupId, owner) => reading(() => groupTexts(db, groupId, owner)),
    verdicts: (groupId, owner) => reading(() => groupVerdicts(db, groupId, owner)),
    exportRows(run, table) {
      if (table === "groups") return exportGroups(db, run);
      return read<ExportRow>(EXPORTS[table](db, run));
    },
    specsUsed: (run, steps) => reading(() => specsUsed(db, run, steps)),
    lacksLengths: (run, steps) => reading(() => lacksLengths(db, run, steps)),
    loggedGroups: (run, steps, wanted) => read(loggedGroups(db, run, steps, wanted)),
    describe: (run, metadata) => reading(() => describeRun(db, run, metadata)),
    markDeleted: (run, before) => reading(() => markDeleted(db, run, before)),
    deleteRows: (run) => reading(() => deleteRows(db, run)),
    check: () => health(probe, config.clock),
  };
}

/** Deletes expired rows. Each call is limited to store_timeout_ms and throws ApiError `store_unavailable`. */
export function createLogExpiry(config: StoreConfig): LogExpiry {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return {
    deleteMarked: () => reading(() => deleteMarked(db)),
    deleteOlder: (ownerFilter, before) => reading(() => deleteOlder(db, ownerFilter, before)),
  };
}

/**
 * Write access of the queue consumer to the run log's tables. Limited to store_timeout_ms; rejects with
 * StoreWriteError for any database error.
 */
export function createEnvelopeStore(config: StoreConfig): EnvelopeStore {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return (envelopes) => store(db, envelopes);
}

async function store(db: Database, envelopes: readonly Envelope[]): Promise<ReadonlySet<string>> {
  const [first, ...rest] = storeStatements(envelopes).map((statement) => db.execute<{ request_id: string }>(statement));
  if (first === undefined) return new Set();
  const results = await writing(() => db.batch([first, ...rest]));
  // The result row of the lock statement has no request_id.
  return new Set(results.flatMap(({ rows }) => rows.flatMap(({ request_id }) => request_id ?? [])));
}

async function* exportGroups(db: Database, run: RunKey) {
  let cursor: string | null = null;
  do {
    const page = await reading(() => groupPage(db, run, { step: null, cursor, limit: LIMITS.page_rows_max }));
    yield* page.rows;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

async function* read<T>(rows: AsyncGenerator<T>) {
  for (let row = await reading(() => rows.next()); !row.done; row = await reading(() => rows.next())) yield row.value;
}

/** Reads the newest column, so that a database that answers but is not migrated does not count as ready. */
async function health(db: Database, clock: Clock): Promise<Health> {
  const start = clock.now();
  const latency = () => Math.round(clock.now() - start);
  try {
    await db.select({ newest: requests.usd }).from(requests).limit(1);
    return { ok: true, latency_ms: latency() };
  } catch (error) {
    const detail = isNotMigrated(error) ? "not migrated" : "unreachable";
    return { ok: false, latency_ms: latency(), detail };
  }
}
