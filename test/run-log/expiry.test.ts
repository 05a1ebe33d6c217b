// Rows by age: each key's own days, a run that goes on keeps what is newer, what names no run and
// what never came whole goes too; and what a deletion left that was broken off.
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { parseLogDays } from "../../src/core/contract/group-sizes.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { encodeTime } from "../../src/platform/request-ids.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import type { Clock } from "../../src/ports/ports.ts";
import { createEnvelopeStore, createLogExpiry, createNeonRunLog } from "../../src/run-log/neon.ts";
import { opened, sealed } from "../../src/run-log/write/envelope.ts";
import { sweep } from "../../src/run-log/write/expiry.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";

const NOW = 1.8e12;
const DAY = 86_400_000;
let backend: SqlBackend;
let endpoint: SqlEndpoint;
let config: { databaseUrl: string; fetchEndpoint: string; clock: Clock };
beforeAll(async () => {
  backend = await createPglite(null);
  await migrate(backend);
  endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
});
afterAll(async () => {
  await endpoint.close();
  await backend.close();
});

let made = 0;
const aged = (days: number, key_name: string | null, run_id: string | null, groups = 1): LogEntry => {
  const ms = NOW - days * DAY;
  const request_id = `${encodeTime(ms)}${`${++made}`.padStart(16, "0")}`;
  const entry = sizedEntry({ run_id: run_id ?? "none", step: 0, groups, size: 4 });
  return { ...entry, ...{ request_id, run_id, key_name, created_at: new Date(ms) } };
};
/** A request that comes in several envelopes. */
const parted = (entry: LogEntry) => (sealed(entryRows(entry), 8_000) as string[]).map(opened);
const left = async (table: string) =>
  new Set((await backend.query({ query: `SELECT request_id FROM ${table}`, params: [] })).rows.map(([id]) => id));

it("keeps each key's rows for its days, and everybody else's for theirs", async () => {
  const runLog = createNeonRunLog(config);
  const entries = {
    old: aged(100, "trainer", "r"),
    young: aged(80, "trainer", "r"),
    gone: aged(100, "trainer", "over"),
    other: aged(100, "ci", "r"),
    others_old: aged(400, "ci", "r"),
    nobodys: aged(400, null, null),
    runless: aged(91, "trainer", null),
  };
  for (const entry of Object.values(entries)) await runLog.append(entry);
  // A part whose head never comes.
  const [part] = parted(aged(91, "trainer", "r", 8));
  expect(part?.head).toBeNull();
  await createEnvelopeStore(config)([part as NonNullable<typeof part>]);
  const asked: unknown[] = [];
  const deleted = await sweep({
    expiry: createLogExpiry(config),
    days: parseLogDays("trainer=90;*=365"),
    now: () => NOW,
    letters: {
      async expire(before, whose) {
        asked.push([before, whose]);
        return { deleted: 0, remaining: 0 };
      },
    },
  });
  expect(deleted).toBe(5);
  const kept = new Set([entries.young, entries.other].map(({ request_id }) => request_id));
  for (const table of ["requests", "groups", "rollouts", "texts", "verdicts"]) expect(await left(table)).toEqual(kept);
  expect(await left("parted_requests")).toEqual(new Set());
  expect(await runLog.run({ owner: "trainer", run_id: "over" })).toBeNull();
  expect(await runLog.run({ owner: "trainer", run_id: "r" })).toMatchObject({ requests: 2 });
  expect(asked).toEqual([
    [new Date(NOW - 90 * DAY).toISOString(), { owner: "trainer" }],
    [new Date(NOW - 365 * DAY).toISOString(), { not: ["trainer"] }],
  ]);
});

it("goes on with a deletion that was broken off, parts that never came whole among it", async () => {
  const runLog = createNeonRunLog(config);
  const run = { owner: "trainer", run_id: "broken-off" };
  await runLog.append(aged(1, "trainer", run.run_id));
  const [part] = parted(aged(1, "trainer", run.run_id, 8));
  await createEnvelopeStore(config)([part as NonNullable<typeof part>]);
  const before = await left("texts");
  await runLog.markDeleted(run, new Date(NOW));
  const deps = { letters: null, days: new Map(), now: () => NOW };
  expect(await sweep({ ...deps, expiry: createLogExpiry(config) })).toBe(1);
  expect((await left("texts")).size).toBe(before.size - 2);
  expect(await left("parted_requests")).toEqual(new Set());
  expect(await runLog.deleteRows(run)).toBeNull();
});

it("stores no part of a deleted run, and waits for none", async () => {
  const runLog = createNeonRunLog(config);
  const store = createEnvelopeStore(config);
  const entry = aged(2, "trainer", "late-parts", 8);
  const parts = parted(entry);
  expect(parts.length).toBeGreaterThan(2);
  await store([parts[0] as NonNullable<(typeof parts)[0]>]);
  await runLog.markDeleted({ owner: "trainer", run_id: "late-parts" }, new Date(NOW));
  const run = { owner: "trainer", run_id: "late-parts" };
  expect(await runLog.deleteRows(run)).toMatchObject({ requests: 0 });
  // The head is acknowledged, though its rows are missing.
  expect(await store(parts)).toEqual(new Set());
  for (const table of ["requests", "groups", "texts", "verdicts", "parted_requests"]) {
    expect((await left(table)).has(entry.request_id)).toBe(false);
  }
});
