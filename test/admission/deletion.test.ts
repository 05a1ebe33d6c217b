// That the texts of every kind of signal can be deleted: whatever a use of it leaves in the run log
// with all texts kept, none of its words is found in any column once its texts have expired.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expireTexts } from "../../scripts/stack/expired-texts.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import type { SqlBackend } from "../../scripts/stack/sql-backend.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { setUp } from "../api/routes/harness.ts";
import { EVERY_BACKEND, fakeVerifier } from "../harness/fakes.ts";
import { KIND_USES, requestOf, use } from "./kinds.ts";

let backend: SqlBackend;
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>;
let columns: string[][];

beforeAll(async () => {
  backend = await createPglite(null);
  await migrate(backend);
  endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'";
  columns = (await backend.query({ query, params: [] })).rows as string[][];
});
afterAll(async () => {
  await endpoint.close();
  await backend.close();
});

/** Columns in which a word stands, as `table.column`. */
async function holding(word: string): Promise<string[]> {
  const found: string[] = [];
  for (const [table, column] of columns) {
    const query = `SELECT count(*) FROM "${table}" WHERE "${column}"::text LIKE $1`;
    const { rows } = await backend.query({ query, params: [`%${word}%`] });
    if (Number(rows[0]?.[0]) > 0) found.push(`${table}.${column}`);
  }
  return found;
}

describe("no word is left of a use of", () => {
  test.each(Object.keys(KIND_USES))("%s", async (name) => {
    const mark = `quokka${Object.keys(KIND_USES).indexOf(name)}x`;
    const answers = use(name).answers ?? (() => "");
    const script: typeof answers = (shown, about) => {
      const said = answers(shown, about);
      // The texts of facts, and a judge's quotes of them.
      return typeof said === "string" ? said.replaceAll("Paris", mark) : said;
    };
    const verifier = { ...fakeVerifier(script), takes: EVERY_BACKEND };
    const runLog = createNeonRunLog({
      databaseUrl: "postgres://unused",
      fetchEndpoint: endpoint.url,
      clock: systemClock,
    });
    const { post } = setUp({ verifier, runLog });
    const { groups, ...request } = requestOf(name, mark, { log_texts: true, log_verdicts: true });
    const marked = JSON.parse(JSON.stringify(groups).replaceAll("Paris", mark)) as object[];
    const body = { run_id: "deleted", ...request, groups: marked };
    const response = await post("/v1/rewards", body);
    expect([response.status, await holding(mark)]).toEqual([200, expect.arrayContaining(["texts.text"])]);
    await expireTexts(backend, new Date("2100-01-01"));
    expect(await holding(mark)).toEqual([]);
  });
});
