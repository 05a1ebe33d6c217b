// Tests the statements that store an entry, without a database: how many there are and how large.
import { PgDialect } from "drizzle-orm/pg-core";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { arrayLiteral } from "../../src/run-log/db/bulk-insert.ts";
import { storeStatements } from "../../src/run-log/write/append.ts";
import { chunks } from "../../src/run-log/write/chunks.ts";
import { wholeEnvelope } from "../../src/run-log/write/log-rows.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";

const dialect = new PgDialect();
const rendered = (entry: LogEntry) =>
  storeStatements([wholeEnvelope(entry)]).map((statement) => dialect.sqlToQuery(statement));

function withTexts(entry: LogEntry, text: string | null): LogEntry {
  const groups = entry.groups.map((group) => ({
    ...group,
    prompt: null,
    rollouts: group.rollouts.map((row) => ({ ...row, text })),
  }));
  return { ...entry, groups };
}

it("needs as many statements for 7,680 verdicts as for one", () => {
  const large = withTexts(sizedEntry({ run_id: "r", step: 0, groups: 64, size: 16 }), null);
  const small = withTexts(sizedEntry({ run_id: "r", step: 0, groups: 1, size: 2 }), null);
  expect(rendered(large)).toHaveLength(6);
  expect(rendered(small).map(({ sql }) => sql)).toEqual(rendered(large).map(({ sql }) => sql));
  expect(JSON.stringify(rendered(large)).length).toBeLessThan(1_500_000);
});

it("cuts logged texts into statements of at most store_statement_chars", () => {
  const entry = withTexts(
    sizedEntry({ run_id: "r", step: 0, groups: 1, size: 5 }),
    "x".repeat(LIMITS.store_statement_chars / 2),
  );
  const texts = rendered(entry).filter(({ sql }) => sql.startsWith('INSERT INTO "texts"'));
  expect(texts).toHaveLength(3);
  // Beside the texts, a few characters of keys for each part.
  for (const { params } of texts)
    expect(JSON.stringify(params).length).toBeLessThan(LIMITS.store_statement_chars * 1.001);
});

it("stores a request without a group in three statements, the lock among them", () => {
  const entry = { ...sizedEntry({ run_id: "r", step: 0, groups: 1, size: 2 }), kind: "verdicts" as const, groups: [] };
  expect(rendered(entry)).toHaveLength(3);
});

it("keeps every column of requests whose envelopes come from two versions of the Worker", () => {
  const [one, other] = [1, 2].map((step) => wholeEnvelope(sizedEntry({ run_id: "r", step, groups: 1, size: 2 })));
  if (one?.head == null || other === undefined) throw new Error("no head");
  const { key_name: _, ...row } = one.head.row;
  const older = { ...one, head: { ...one.head, row } };
  const written = storeStatements([older, other]).map((statement) => dialect.sqlToQuery(statement).sql);
  const requests = written.filter((text) => text.includes('INSERT INTO "requests"'));
  expect(requests.map((text) => text.includes('"key_name"'))).toEqual([false, true]);
});

it("writes array literals whose strings cannot end early or turn into NULL", () => {
  expect(arrayLiteral([1, null, true, 'a"b\\c', "NULL", "", [1, null], new Date(0)])).toBe(
    '{1,NULL,true,"a\\"b\\\\c","NULL","","{1,NULL}","1970-01-01T00:00:00.000Z"}',
  );
});

it("cuts rows by size, in order, a too large one alone", () => {
  expect(chunks([1, 1, 5, 2, 2, 1], (n) => n, 4)).toEqual([[1, 1], [5], [2, 2], [1]]);
  expect(chunks([], () => 1, 4)).toEqual([]);
});
