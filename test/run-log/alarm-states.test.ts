// The states of alarms in a real database: one look at a time, one row an alarm, each owner's own.
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { AlarmState } from "../../src/core/health/alarm-state.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createAlarmStates } from "../../src/run-log/alarm-states.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";

let backend: SqlBackend;
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>;
beforeAll(async () => {
  backend = await createPglite(null);
  await migrate(backend);
  endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
});
afterAll(async () => {
  await endpoint.close();
  await backend.close();
});

const state = (alarm: string, more: Partial<AlarmState> = {}): AlarmState => ({
  ...{ alarm, level: "alarm", reported: null, from_step: 3, to_step: null, tries: 0 },
  evidence: { step: 4, value: 0.5, threshold: 0.8, detail: { by_code: { deadline: 2 } } },
  ...more,
});

it("grants one look at a run in so long, none at a run that is not there, and keeps one row an alarm", async () => {
  const config = { databaseUrl: "postgres://unused", fetchEndpoint: endpoint.url, clock: systemClock };
  const [states, runLog] = [createAlarmStates(config), createNeonRunLog(config)];
  const entry = { ...sizedEntry({ run_id: "watched", step: 1, groups: 1, size: 2 }), key_name: "trainer" };
  await runLog.append(entry);
  const run = { run_id: "watched", owner: "trainer" };
  const other = { run_id: "watched", owner: "somebody" };
  expect(await states.claim(other, 0)).toBe(false);
  const claims = await Promise.all([1, 2, 3].map(() => states.claim(run, 60_000)));
  expect(claims.filter((granted) => granted)).toHaveLength(1);
  expect(await states.claim(run, 60_000)).toBe(false);
  expect(await states.claim(run, -1)).toBe(true);

  await states.save(run, [state("nulls"), state("at_cap", { level: "watch" })]);
  expect(await states.load(run)).toEqual([state("at_cap", { level: "watch" }), state("nulls")]);
  expect(await states.load(other)).toEqual([]);
  await states.save(run, [state("nulls", { level: null, reported: "alarm", to_step: 9, tries: 2 })]);
  expect(await states.load(run)).toContainEqual(
    state("nulls", { level: null, reported: "alarm", to_step: 9, tries: 2 }),
  );
  await states.save(other, [state("nulls")]);
  const on = await states.on(10);
  expect(on).toHaveLength(2);
  expect(on).toEqual(
    expect.arrayContaining([
      { ...run, alarm: "at_cap", level: "watch" },
      { ...other, alarm: "nulls", level: "alarm" },
    ]),
  );
  expect(await states.on(1)).toHaveLength(1);
  await backend.query({ query: "UPDATE run_alarms SET updated_at = now() - interval '2 days'", params: [] });
  expect(await states.on(10)).toEqual([]);
});
