// Helpers shared by the parts of the run log's contract: the store under test, separate runs and entries,
// and rows as they must come back.

import { expect } from "vitest";
import { ownerOf } from "../../../src/core/contract/owner.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { SpecStore } from "../../../src/ports/ports.ts";
import type { RunLog } from "../../../src/ports/run-log.ts";
import { groupVerdicts } from "../../harness/fakes.ts";
import fc from "../../harness/property.ts";
import { nextRequestId, rewardsEntry } from "../log-entries.ts";

export interface StoreUnderTest {
  runLog: RunLog;
  specs: SpecStore;
  /** Rows of a table of the database, for what no route reads. */
  rowsOf(table: "texts" | "requests", requestId: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const row of rows) out.push(row);
  return out;
}

let runsMade = 0;
export const newRun = () => `run-${process.pid}-${++runsMade}`;
export const named = (entry: Omit<LogEntry, "request_id">, more: Partial<LogEntry> = {}): LogEntry => ({
  ...entry,
  request_id: nextRequestId(),
  ...(more.run_id !== undefined && { key_name: "trainer" }),
  ...more,
});
export const ALL_STEPS = { after: null, from: null, to: null, limit: null };
export const runOf = ({ run_id, key_name }: LogEntry) => ({ run_id: run_id as string, owner: ownerOf(key_name) });
export const trainers = (run_id: string) => ({ run_id, owner: "trainer" });
export const [sample] = fc.sample(rewardsEntry, { seed: 11, numRuns: 1 }) as [LogEntry];

export const storedVerdicts = (entry: LogEntry) =>
  entry.groups.flatMap((_, index) => groupVerdicts(entry, index).verdicts);
export const storedAudit = (entry: LogEntry) => entry.groups.flatMap((_, index) => groupVerdicts(entry, index).audit);

/** Numbers that were added up in another order: what is large is known to fewer places. */
export const nearly = (row: object): unknown =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, nearlyOne(value)]));

const nearlyOne = (value: unknown): unknown => {
  if (typeof value === "number")
    return expect.closeTo(value, Math.min(4, 13 - Math.ceil(Math.log10(Math.abs(value) + 1))));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? nearly(value) : value;
};
