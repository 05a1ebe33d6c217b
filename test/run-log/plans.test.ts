// How the database finds what is read over and over while a run goes on: by an index, not by a
// look at all that the run ever logged.
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { requestsOfLast } from "../../src/run-log/read/health-rows.ts";
import { computing } from "../../src/run-log/read/step-rows.ts";

const RUN = { run_id: "long", owner: "" };

/**
 * How the database would read the rows.
 * @param before statements before
 */
async function planOf(wanted: SQL, before: readonly string[]): Promise<string> {
  const backend = await createPglite(null);
  await migrate(backend);
  const { sql, params } = new PgDialect().sqlToQuery(wanted);
  for (const query of before) await backend.query({ query, params: [] });
  const { rows } = await backend.query({ query: `EXPLAIN ${sql}`, params: params.map(String) });
  await backend.close();
  return rows.map(([line]) => line).join("\n");
}

/** The planner reads the whole of an empty table; with these off it sorts only where it has to. */
const AS_IF_LONG = ["seqscan", "bitmapscan", "hashagg"].map((plan) => `SET enable_${plan} = off`);

it("finds a run's last steps from the end of the index by step, however long the run", async () => {
  const plan = await planOf(sql`SELECT request_id FROM requests WHERE ${requestsOfLast(RUN, 300)}`, AS_IF_LONG);
  expect(plan).toContain("Index Scan Backward using requests_of_step");
  expect(plan).not.toContain("Sort");
});

/** 300 steps of a group of 8 with 28 verdicts. */
const FILLED = [
  `INSERT INTO requests (request_id, kind, run_id, step, spec_hash, created_at, items, groups, tau_b_undefined, total_ms, verifier_ms, overhead_ms, warnings)
    SELECT 'r' || s, 'rewards', 'long', s, 'h', now(), 8, 1, 0, 1, 1, 0, '[]' FROM generate_series(0, 299) s`,
  `INSERT INTO groups (request_id, group_index, spec_hash, created_at, group_id, prompt_hash, status, win_counts, selected_tied, comparisons, generations, parsed, unparsed, failed, saved, prompt_tokens, completion_tokens, latency_p50_ms, latency_p99_ms, latency_max_ms)
    SELECT 'r' || s, 0, 'h', now(), '0', 'p', 'ok', '{1}', '{0}', 28, 28, 28, 0, 0, 0, 1, 1, 1, 1, 1 FROM generate_series(0, 299) s`,
  `INSERT INTO rollouts (request_id, group_index, rollout_index, spec_hash, reward, format, overlong, wins, losses, ties, undecided, forfeits, unparsed, format_ok, text_hash)
    SELECT 'r' || s, 0, r, 'h', 1, 0, 0, 1, 0, 0, 0, 0, 0, true, 't' FROM generate_series(0, 299) s, generate_series(0, 7) r`,
  `INSERT INTO verdicts (request_id, group_index, comparison, sample, spec_hash, shown_order, prompt_tokens, completion_tokens, latency_ms)
    SELECT 'r' || s, 0, c, 0, 'h', '{0,1}', 1, 1, 1 FROM generate_series(0, 299) s, generate_series(0, 27) c`,
  "ANALYZE",
];

it("reads a page's rows request by request, however many other rows there are", async () => {
  const page = Array.from({ length: 100 }, (_, step) => step);
  const plan = await planOf(computing(RUN, page), FILLED);
  for (const table of ["rollouts", "verdicts"]) {
    expect(plan).not.toContain(`Seq Scan on ${table}`);
    expect(plan).toMatch(new RegExp(`Scan (?:using|on) ${table}_request_id`));
  }
});
