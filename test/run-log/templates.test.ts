// Templates in the database: what is put is had, a later one replaces it, and a row that no longer
// holds to the rules is as if it were not there.
import { expect, test } from "vitest";
import { template } from "../../scripts/build/openapi/examples.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { OwnPreset } from "../../src/core/judges/presets/own.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonTemplateStore } from "../../src/run-log/templates.ts";

test("a template is stored under its name, replaced, and listed", async () => {
  const backend = await createPglite(null);
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  try {
    const store = createNeonTemplateStore({
      databaseUrl: "postgres://unused",
      fetchEndpoint: endpoint.url,
      clock: systemClock,
    });
    const own = { ...template, name: "mine" } as unknown as OwnPreset;
    expect(await store.get("mine")).toBeNull();
    await store.save(own);
    await store.save({ ...own, name: "another" });
    expect(await store.get("mine")).toEqual(own);
    await store.save({ ...own, between: "; " });
    expect(await store.get("mine")).toEqual({ ...own, between: "; " });
    expect(await store.names(1)).toEqual(["another"]);
    await backend.query({ query: `UPDATE named_templates SET template = '{"shape": "pair"}'`, params: [] });
    expect(await store.get("mine")).toBeNull();
  } finally {
    await endpoint.close();
    await backend.close();
  }
});
