// A measure of a run's steps that is an entry of two tables, and an alarm on it, one file and one line:
// read by the one statement from the embedded database, told over HTTP, in the OpenAPI document, in
// the alarms' docs and on the run's page, beside all others as they were.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openapiText } from "../../scripts/build/openapi/document.ts";
import { pageFiles } from "../../scripts/build/pages/files.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import type { AlarmSpan } from "../../src/core/health/alarm.ts";
import { MEASURES } from "../../src/core/health/measures.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { fenced, setUp } from "../api/routes/harness.ts";

vi.mock("../../src/core/health/measures.ts", async (original) => {
  const { MEASURE_PAGES, MEASURES, ...rest } = await original<typeof import("../../src/core/health/measures.ts")>();
  const { toyMeasure, toyPage } = await import("./toy-measure.ts");
  const pages = { ...MEASURE_PAGES, [toyMeasure.name]: toyPage };
  return { ...rest, MEASURES: [...MEASURES, toyMeasure], MEASURE_PAGES: pages };
});
vi.mock("../../src/core/health/alarms/table.ts", async (original) => {
  const { ALARMS } = await original<typeof import("../../src/core/health/alarms/table.ts")>();
  const { toyAlarm } = await import("./toy-alarm.ts");
  return { ALARMS: [...ALARMS, toyAlarm] };
});

type Row = Record<string, number | null | Record<string, number>>;
interface Health {
  on: string[];
  alarms: AlarmSpan[];
  rows: Row[];
}

let backend: Awaited<ReturnType<typeof createPglite>>;
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

/** The alarms of a run of three steps; at the last one its rollouts are long. */
async function healthOf({ post, call }: ReturnType<typeof setUp>): Promise<Health> {
  for (const [step, longest] of [200, 300, 5000].entries()) {
    const rollouts = ["a", "bb", "ccc"].map((code, r) => ({
      text: fenced(code),
      length_tokens: longest - r,
      pass_rate: r / 2,
      finish_reason: "stop",
    }));
    expect((await post("/v1/rewards", { run_id: "toy", step, groups: [{ prompt: "p", rollouts }] })).status).toBe(200);
  }
  return (await call("/v1/runs/toy/health?rows=true")).json();
}

describe("a measure in one file, and an alarm on it in one file and one line", () => {
  test("come out of the API from the embedded database, and change nothing else", async () => {
    const runLog = createNeonRunLog({
      databaseUrl: "postgres://unused",
      fetchEndpoint: endpoint.url,
      clock: systemClock,
    });
    const stored = await healthOf(setUp({ runLog }));
    // By the test's own computation, which knows neither.
    const plain = await healthOf(setUp());
    expect(stored.rows.map(({ toy_longest }) => toy_longest)).toEqual([200, 300, 5000]);
    expect(stored.rows.map(({ toy_longest: _, ...others }) => others)).toEqual(plain.rows);
    expect(Object.keys(stored.rows[0] as Row)).toEqual(["step", "at_ms", ...MEASURES.map(({ name }) => name)]);
    const evidence = { step: 2, value: 5000, threshold: 1000 };
    const raised = { alarm: "toy_long", level: "alarm", from_step: 2, says: "too many toys", to_step: null, evidence };
    expect(stored.alarms).toEqual([...plain.alarms, raised]);
    expect(stored.on).toEqual([...plain.on, "toy_long"]);
  });

  test("stand in the OpenAPI document, each at the end of its list", () => {
    const operation = JSON.parse(openapiText()).paths["/v1/runs/{run_id}/health"].get;
    const { rows, alarms } = operation.responses["200"].content["application/json"].schema.properties;
    const { properties, required } = rows.items;
    expect(properties.toy_longest).toEqual({
      anyOf: [{ type: "number", format: "double" }, { type: "null" }],
      description: "the toy's longest rollout, tokens",
    });
    expect(Object.keys(properties)).toEqual(["step", "at_ms", ...MEASURES.map(({ name }) => name)]);
    expect(required).toEqual(Object.keys(properties));
    expect(alarms.items.properties.alarm.enum.at(-1)).toBe("toy_long");
  });

  test("have a section of /docs/alarms and a chart on the run's page", async () => {
    const files = await pageFiles();
    expect(files["docs/alarms.html"]).toContain("<dd>the toy&#39;s cap</dd>");
    expect(files["runs.js"]).toContain("the toy's lengths");
    expect(files["runs.js"]).toContain("toy_long");
    expect(files["runs.js"]).not.toContain("max(length_tokens)");
  });
});
