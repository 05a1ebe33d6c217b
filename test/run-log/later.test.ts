// Tests the run log that reads its modules at the first call: it is the run log that they make.
import { expect, it } from "vitest";
import { NOBODY } from "../../src/core/contract/owner.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { storeLater } from "../../src/run-log/later.ts";
import { createStore } from "../../src/run-log/store.ts";

/** Nothing listens there. */
const config = { databaseUrl: "", fetchEndpoint: "http://127.0.0.1:9/sql", clock: systemClock };
const run = { run_id: "r", owner: NOBODY };
const UNAVAILABLE = { code: "store_unavailable" };

it("has every method of each part", () => {
  const [later, now] = [storeLater(config), createStore(config)];
  expect(Object.keys(later).sort()).toEqual(Object.keys(now).sort());
  for (const [name, part] of Object.entries(now)) {
    const lazy = later[name as keyof typeof later] as unknown as Record<string, unknown>;
    for (const method of Object.keys(part)) expect(lazy[method], `${name}.${method}`).toBeTypeOf("function");
  }
});

it("answers and iterates as they do, their faults too", async () => {
  const { runLog, specs, store, alarmStates } = storeLater(config);
  await expect(runLog.run(run)).rejects.toMatchObject(UNAVAILABLE);
  await expect(specs.names(1)).rejects.toMatchObject(UNAVAILABLE);
  await expect(alarmStates.load(run)).rejects.toMatchObject(UNAVAILABLE);
  expect(await runLog.check()).toMatchObject({ ok: false, detail: "unreachable" });
  expect([...(await store([]))]).toEqual([]);
  for (const rows of [runLog.exportRows(run, "groups"), runLog.exportRows(run, "texts")]) {
    await expect(rows[Symbol.asyncIterator]().next()).rejects.toMatchObject(UNAVAILABLE);
  }
});

it("throws for a method that there is not, in place of telling nothing", async () => {
  const lazy = storeLater(config).runLog as unknown as Record<string, () => Promise<unknown>>;
  await expect(lazy.none?.()).rejects.toThrow(TypeError);
});

it("is handed on by a promise as it is", async () => {
  const { runLog } = storeLater(config);
  expect(await Promise.resolve(runLog)).toBe(runLog);
});
