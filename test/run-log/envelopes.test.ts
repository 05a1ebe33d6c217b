// Envelopes on a database: in whatever order, batches and repetitions they come, the rows are those
// of a direct write.

import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { createRandom } from "../../src/core/math/random.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { StoreWriteError } from "../../src/run-log/db/store-write-error.ts";
import { createEnvelopeStore, createNeonRunLog } from "../../src/run-log/neon.ts";
import type { EnvelopeStore } from "../../src/run-log/write/envelope.ts";
import { opened, sealed } from "../../src/run-log/write/envelope.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import fc from "../harness/property.ts";
import { nextRequestId, rewardsEntry, sizedEntry, verdictsEntry } from "../port-contracts/log-entries.ts";

let backend: SqlBackend;
let endpoint: SqlEndpoint;
let store: EnvelopeStore;
let runLog: ReturnType<typeof createNeonRunLog>;

beforeAll(async () => {
  backend = await createPglite(null);
  await migrate(backend);
  endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
  store = createEnvelopeStore(config);
  runLog = createNeonRunLog(config);
});
afterAll(async () => {
  await endpoint.close();
  await backend.close();
});

/**
 * Every row of a request in every table, without its id; and its run's totals, without the run's
 * name.
 */
async function rowsOf({ request_id, run_id }: LogEntry) {
  const tables = ["requests", "groups", "rollouts", "verdicts", "texts"];
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    const { rows, fields } = await backend.query({
      query: `SELECT * FROM ${table} WHERE request_id = $1 ORDER BY 1, 2, 3, 4`,
      params: [request_id],
    });
    found[table] = rows.map((row) =>
      Object.fromEntries(row.flatMap((value, i) => (isName(fields[i]?.name) ? [] : [[fields[i]?.name, value]]))),
    );
  }
  const { rows } = await backend.query({ query: "SELECT * FROM runs WHERE run_id = $1", params: [run_id] });
  return { ...found, runs: rows.map(([, ...totals]) => totals) };
}
const isName = (field: string | undefined) => field === "request_id" || field === "run_id";

/** The same values in another order, by seed. */
function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

let made = 0;
const named = (entry: Omit<LogEntry, "request_id">): LogEntry => ({
  ...entry,
  request_id: nextRequestId(),
  run_id: `queued-${++made}`,
});

it("leave the rows of a direct write, bit by bit, whatever their order, their batches and their repetitions", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(rewardsEntry, verdictsEntry), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      async (random, batch, seed) => {
        const queued = random.map(named);
        const direct = random.map(named);
        for (const entry of direct) await runLog.append(entry);
        const draw = createRandom(seed);
        const envelopes = queued.flatMap((entry) => (sealed(entryRows(entry), 12_000) ?? []).map(opened));
        // A head waits for its parts and comes again, as the consumer makes it do; every envelope
        // comes twice.
        let waiting = shuffled([...envelopes, ...envelopes], draw);
        while (waiting.length > 0) {
          const now = waiting.slice(0, batch);
          const heads = new Set<string>();
          const once = now.filter(
            ({ head, request_id }) => head === null || (!heads.has(request_id) && heads.add(request_id)),
          );
          const missing = await store(once);
          const again = now.filter(({ head, request_id }) => head !== null && missing.has(request_id));
          waiting = [...waiting.slice(batch), ...again];
        }
        for (const [i, entry] of queued.entries()) {
          if (sealed(entryRows(entry), 12_000) === null) continue;
          expect(await rowsOf(entry)).toEqual(await rowsOf(direct[i] as LogEntry));
        }
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
});

it("of a request show it only when all of them are there", async () => {
  const entry = sizedEntry({ run_id: "whole", step: 0, groups: 8, size: 16 });
  const whole = { run_id: "whole", owner: "trainer" };
  const envelopes = (sealed(entryRows(entry), 30_000) as string[]).map(opened);
  const head = envelopes.pop() as (typeof envelopes)[number];
  for (const envelope of envelopes) {
    expect(await store([head])).toEqual(new Set([entry.request_id]));
    expect(await runLog.request(entry.request_id, null)).toBeNull();
    expect(await runLog.run(whole)).toBeNull();
    expect(await runLog.groups(whole, { step: null, cursor: null, limit: 10 })).toEqual({
      rows: [],
      next_cursor: null,
    });
    expect(await runLog.verdicts(`${entry.request_id}.0`, null)).toBeNull();
    expect(await store([envelope])).toEqual(new Set());
  }
  expect(await store([head])).toEqual(new Set());
  expect(await store([head])).toEqual(new Set());
  expect((await runLog.request(entry.request_id, null))?.groups).toHaveLength(8);
  expect(await runLog.run(whole)).toMatchObject({ requests: 1, groups: 8, rollouts: 128 });
});

it("of a batch leave nothing when one of them is refused, and say the SQL state", async () => {
  const entries = fc.sample(rewardsEntry, { seed: 5, numRuns: 3 }).map(named);
  const texts = entries.map((entry) => (sealed(entryRows(entry)) as [string])[0]);
  const bad = JSON.stringify(JSON.parse(texts[1] as string), (key, value) => (key === "items" ? 2 ** 40 : value));
  const envelopes = [texts[0] as string, bad, texts[2] as string].map(opened);
  const error = await store(envelopes).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(StoreWriteError);
  expect((error as StoreWriteError).sqlstate).toMatch(/^22/);
  for (const { request_id } of entries) expect(await runLog.request(request_id, null)).toBeNull();
});
