// What is kept of a run's steps, for looks at its alarms and for pages, is what computing them anew
// gives, whatever came late, was lost, is old, or was deleted; on PGlite, and on Postgres where DATABASE_URL names one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { type SqlEndpoint, startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { RunKey } from "../../src/core/contract/owner.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { encodeTime } from "../../src/platform/request-ids.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { createLogExpiry, createNeonRunLog } from "../../src/run-log/neon.ts";
import fc from "../harness/property.ts";
import { rewardsEntry, sizedEntry } from "../port-contracts/log-entries.ts";
import { ALL_STEPS, nearly, newRun, trainers } from "../port-contracts/run-log/store.ts";
import { openSchema } from "./postgres-schema.ts";

const NOW = 1.8e12;
/** Later than every request of these tests. */
const LATER = new Date(NOW + 1e9);
let made = 0;
/** At these seconds: a later one may come first. */
const at = (seconds: number, run_id: string, step: number | null, entry: Omit<LogEntry, "request_id">): LogEntry => {
  const ms = NOW + seconds * 1000;
  const request_id = `${encodeTime(ms)}${`${++made}`.padStart(16, "0")}`;
  return { ...entry, ...{ request_id, run_id, step, kind: "rewards", key_name: "trainer", created_at: new Date(ms) } };
};

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ at: fc.nat(50), step: fc.option(fc.nat(4), { freq: 8 }), entry: rewardsEntry }) },
  { weight: 2, arbitrary: fc.record({ again: fc.nat(20), step: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ look: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ lose: fc.constantFrom("DELETE FROM", "UPDATE") }) },
  { weight: 1, arbitrary: fc.record({ expire: fc.nat(20) }) },
);

const databases: [string, () => Promise<[SqlBackend, () => Promise<void>]>][] = [
  ["PGlite", async () => [await createPglite(null), async () => {}]],
];
const { DATABASE_URL } = process.env;
if (DATABASE_URL !== undefined) {
  databases.push([
    "Postgres",
    async () => {
      const schema = await openSchema(DATABASE_URL);
      return [createPostgres(schema.url), schema.drop];
    },
  ]);
}

describe.each(databases)("on %s", (_, open) => {
  let backend: SqlBackend;
  let endpoint: SqlEndpoint;
  let drop: () => Promise<void>;
  let log: ReturnType<typeof createNeonRunLog>;
  let expiry: ReturnType<typeof createLogExpiry>;
  beforeAll(async () => {
    [backend, drop] = await open();
    await migrate(backend);
    endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
    const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
    [log, expiry] = [createNeonRunLog(config), createLogExpiry(config)];
  });
  afterAll(async () => {
    await endpoint.close();
    await backend.close();
    await drop();
  });

  const sql = async (query: string, ...params: string[]) => (await backend.query({ query, params })).rows;
  const keptOf = async ({ run_id }: RunKey) =>
    Number((await sql("SELECT count(*) FROM health_rows WHERE run_id = $1", run_id))[0]?.[0]);

  /** A look without any kept part; kept parts stay. */
  async function anew<Row>(run: RunKey, look: () => Promise<Row[]>): Promise<Row[]> {
    await sql("UPDATE health_rows SET run_id = 'aside' WHERE run_id = $1", run.run_id);
    const rows = await look();
    await sql("DELETE FROM health_rows WHERE run_id = $1", run.run_id);
    await sql("UPDATE health_rows SET run_id = $1 WHERE run_id = 'aside'", run.run_id);
    return rows;
  }

  it("tells the same as computing a run anew, after any history", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 16 }), async (acts) => {
        const run = trainers(newRun());
        const logged: LogEntry[] = [];
        for (const one of acts) {
          if ("entry" in one) logged.push(at(one.at, run.run_id, one.step, one.entry));
          if ("again" in one && logged.length > 0)
            logged.push(at(one.again, run.run_id, one.step, logged[one.again % logged.length] as LogEntry));
          if ("entry" in one || ("again" in one && logged.length > 0)) await log.append(logged.at(-1) as LogEntry);
          if ("lose" in one) {
            const set = one.lose === "UPDATE" ? "SET version = 'old', measured = '[]'" : "";
            await sql(`${one.lose} health_rows ${set} WHERE run_id = $1 AND k IN (0, 3)`, run.run_id);
          }
          if ("expire" in one) await expiry.deleteOlder({ owner: run.owner }, new Date(NOW + one.expire * 1000));
          if (!("look" in one)) continue;
          const looks = [() => log.health(run, one.look), () => log.steps(run, ALL_STEPS, true)];
          for (const look of looks) expect(await look()).toEqual((await anew<object>(run, look)).map(nearly));
        }
        for (const look of [() => log.health(run, 6), () => log.steps(run, ALL_STEPS, true)]) {
          const [rows, beside] = await Promise.all([look(), look()]);
          expect(rows).toEqual((await anew<object>(run, look)).map(nearly));
          expect(beside).toEqual(rows);
        }
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it("computes a step again that has changed, and no other", async () => {
    const run = trainers(newRun());
    const sized = (step: number | null) =>
      at(1, run.run_id, step, sizedEntry({ run_id: "", step: 0, groups: 2, size: 4 }));
    for (const step of [0, 1]) await log.append(sized(step));
    const before = await log.health(run, 5);
    // A value that no step has shows whether it was computed or kept.
    await sql(
      "UPDATE health_rows SET measured = replace(measured::text, ', 8, ', ', 77, ')::json WHERE run_id = $1",
      run.run_id,
    );
    expect((await log.health(run, 5)).map(({ rollouts }) => rollouts)).toEqual([77, 77]);
    await log.append(sized(1));
    expect((await log.health(run, 5)).map(({ rollouts }) => rollouts)).toEqual([77, 16]);
    await sql("DELETE FROM health_rows WHERE run_id = $1 AND k = 0", run.run_id);
    expect((await log.health(run, 5))[0]).toEqual(before[0]);
    await log.append(sized(null));
    expect(await log.health(run, 5)).toHaveLength(2);
    expect(await keptOf(run)).toBe(2);
  });

  it("computes a step's row again that has changed, and no other, what has no step among them", async () => {
    const run = trainers(newRun());
    const sized = (step: number | null) =>
      at(1, run.run_id, step, sizedEntry({ run_id: "", step: 0, groups: 2, size: 4 }));
    for (const step of [null, 0, 1]) await log.append(sized(step));
    const rollouts = async () => (await log.steps(run, ALL_STEPS)).map((row) => row.rollouts);
    expect(await rollouts()).toEqual([8, 8, 8]);
    await sql(
      `UPDATE health_rows SET measured = replace(measured::text, '"rollouts" : 8', '"rollouts" : 77')::json WHERE run_id = $1`,
      run.run_id,
    );
    expect(await rollouts()).toEqual([77, 77, 77]);
    await log.append(sized(1));
    expect(await rollouts()).toEqual([77, 77, 16]);
    await log.append(sized(null));
    expect(await rollouts()).toEqual([16, 77, 16]);
    expect((await log.steps(run, { ...ALL_STEPS, from: 0, to: 0 })).map((row) => row.rollouts)).toEqual([77]);
    expect(await keptOf(run)).toBe(3);
  });

  it("keeps nothing of what was deleted, and of a run that begins anew what is new", async () => {
    const run = trainers(newRun());
    const sized = (seconds: number) =>
      at(seconds, run.run_id, 0, sizedEntry({ run_id: "", step: 0, groups: 1, size: 4 }));
    await log.append(sized(1));
    await log.health(run, 5);
    expect(await keptOf(run)).toBe(1);
    await log.markDeleted(run, new Date(NOW + 2_000));
    // Its rows are on their way out: looked at, and not kept.
    expect(await log.health(run, 5)).toHaveLength(1);
    expect(await keptOf(run)).toBe(0);
    while ((await log.deleteRows(run)) !== null);
    await log.append(sized(3));
    expect(await log.health(run, 5)).toHaveLength(1);
    expect(await keptOf(run)).toBe(1);
    while ((await expiry.deleteOlder({ owner: run.owner }, LATER)) !== null);
    expect(await keptOf(run)).toBe(0);
    expect(await log.health(run, 5)).toEqual([]);
  });
});
