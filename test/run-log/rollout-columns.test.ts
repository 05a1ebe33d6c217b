// A rollout's row has the columns of its table and no other, whatever its reply tells besides.
import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import type { RunLog } from "../../src/ports/run-log.ts";
import { rollouts } from "../../src/run-log/db/schema.ts";
import { entryRows } from "../../src/run-log/write/log-rows.ts";
import { setUp } from "../api/routes/harness.ts";
import { fakeRunLog } from "../harness/fake-run-log.ts";
import { fakeVerifier } from "../harness/fakes.ts";

const messages = [
  {
    role: "assistant",
    content: "I look.",
    tool_calls: [{ id: "c", type: "function", function: { name: "ls", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c", content: "a.txt" },
  { role: "assistant", content: "Done." },
];
const long = { text: "x".repeat(LIMITS.rollout_text_bytes + 1) };

test.each([
  ["whose reward is missing", [{ text: "a" }, { text: "b" }]],
  ["that is too long", [long, { text: "a" }, { text: "b" }]],
  ["of several turns", [{ messages }, { text: "a" }]],
])("of one %s", async (_, sent) => {
  const runLog = fakeRunLog();
  const entries: LogEntry[] = [];
  const keeping: RunLog = {
    ...runLog,
    append: (entry) => {
      entries.push(entry);
      return runLog.append(entry);
    },
  };
  const verifier = fakeVerifier(() => ({ error: "verifier_unavailable" }));
  const { post } = setUp({ verifier, runLog: keeping });
  const spec = { candidate: { extract: "whole" } };
  expect((await post("/v1/rewards", { spec, groups: [{ prompt: "p", rollouts: sent }] })).status).toBe(200);
  const columns = Object.keys(getTableColumns(rollouts));
  const rows = entryRows(entries[0] as LogEntry).rows.rollouts ?? [];
  expect(rows).toHaveLength(sent.length);
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(Object.keys(rows[0] as object));
    expect(Object.keys(row).filter((name) => !columns.includes(name))).toEqual([]);
  }
});
