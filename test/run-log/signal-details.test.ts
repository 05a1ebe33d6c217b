// Holds that what signals tell of a rollout besides their values finds its place in the log: rows
// have the tables' columns and no others.
import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { rollouts, signals } from "../../src/run-log/db/schema.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock } from "../harness/fakes.ts";

test("a rollout's details stand in its signals' rows, not in a column that no table has", async () => {
  const spec = SignalsSpecSchema.parse({ signals: { tests: { kind: "tests" }, steps: { kind: "steps" } } });
  const tests = [{ status: "pass" }, { status: "fail" }];
  const rollout = { text: "x", tests, step_scores: [0.9, 0.2] };
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts: [rollout, rollout] }] });
  const clock = fixedClock();
  const { signal } = new AbortController();
  const batch = { request, spec, started_ms: clock.now(), signal };
  const { reply, entry } = await scoreBatch({ verifier: fakeVerifier(() => ""), clock }, batch);
  expect(reply.groups[0]?.rollouts[0]?.details).toBeDefined();
  const logged = { ...entry, request_id: "r", key_name: null, kind: "rewards", created_at: clock.date() } as const;
  const { rows, shared } = entryRows(logged);
  const { rollouts: told = [], signals: values = [] } = rows;
  const foreign = (table: typeof rollouts | typeof signals, row: object) =>
    Object.keys({ ...row, request_id: "r" }).filter((name) => !(name in shared) && !(name in getTableColumns(table)));
  expect(told.flatMap((row) => foreign(rollouts, row))).toEqual([]);
  expect(values.flatMap((row) => foreign(signals, row))).toEqual([]);
  expect(values.map(({ detail }) => detail).filter((detail) => detail !== null)).not.toEqual([]);
});
