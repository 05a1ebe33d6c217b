import { expect, it } from "vitest";
import type { RunKey } from "../../../src/core/contract/owner.ts";
import { encodeTime } from "../../../src/platform/request-ids.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { DeletedRows } from "../../../src/ports/run-changes.ts";
import type { RunLog } from "../../../src/ports/run-log.ts";
import { requestRow } from "../../harness/fakes.ts";
import { sizedEntry } from "../log-entries.ts";
import { ALL_STEPS, all, newRun, type StoreUnderTest, trainers } from "./store.ts";

let made = 0;
/** Ids of separate instants: which of them come before a deletion is then certain. */
const idAt = (ms: number) => `${encodeTime(ms)}${`${++made}`.padStart(16, "0")}`;

const at = (ms: number, run_id: string, more: Partial<LogEntry> = {}): LogEntry => ({
  ...sizedEntry({ run_id, step: 0, groups: 2, size: 3 }),
  ...{ request_id: idAt(ms), key_name: "trainer", created_at: new Date(ms), ...more },
});

/** All that the deletion takes, and how many pieces it took. */
export async function deleteAll(next: () => Promise<DeletedRows | null>) {
  const pieces: DeletedRows[] = [];
  for (let some = await next(); some !== null; some = await next()) pieces.push(some);
  return pieces;
}

const total = (pieces: readonly DeletedRows[], table: keyof DeletedRows) => pieces.reduce((n, p) => n + p[table], 0);

const TABLES = ["groups", "verdicts", "signals", "turns", "texts", "audit_verdicts"] as const;
const exported = async (runLog: RunLog, run: RunKey) =>
  (await Promise.all(TABLES.map((table) => all(runLog.exportRows(run, table))))).flat();

export function deletes(store: () => StoreUnderTest): void {
  it("deletes all of a run and nothing else, says how much, and a second time that nothing was left", async () => {
    const { runLog, rowsOf } = store();
    const run = trainers(newRun());
    const other = { ...run, owner: "b" };
    const entries = [at(1e12, run.run_id), at(1e12 + 1, run.run_id, { kind: "verdicts" })];
    const theirs = at(1e12, run.run_id, { key_name: "b" });
    for (const entry of [...entries, theirs]) await runLog.append(entry);
    const held = await exported(runLog, other);
    await runLog.markDeleted(run, new Date(2e12));
    expect(await runLog.run(run)).toBeNull();
    const pieces = await deleteAll(() => runLog.deleteRows(run));
    expect(total(pieces, "requests")).toBe(2);
    expect(total(pieces, "groups")).toBe(4);
    expect(total(pieces, "rollouts")).toBe(12);
    expect(total(pieces, "verdicts")).toBe(entries.flatMap(({ groups }) => groups.flatMap((g) => g.verdicts)).length);
    expect(await exported(runLog, run)).toEqual([]);
    expect(await runLog.steps(run, ALL_STEPS)).toEqual([]);
    for (const { request_id } of entries) {
      expect(await runLog.request(request_id, null)).toBeNull();
      for (const table of ["texts", "requests"] as const) expect(await rowsOf(table, request_id)).toEqual([]);
    }
    expect(await runLog.request(theirs.request_id, "b")).toEqual(requestRow(theirs));
    expect(await exported(runLog, other)).toEqual(held);
    await runLog.markDeleted(run, new Date(2e12));
    expect(await runLog.deleteRows(run)).toBeNull();
  });

  it("stores nothing that came before the deletion, and begins the run anew with what comes later", async () => {
    const { runLog, rowsOf } = store();
    const run = trainers(newRun());
    await runLog.markDeleted(run, new Date(1.1e12));
    const [early, late] = [at(1e12, run.run_id), at(1.2e12, run.run_id)];
    await runLog.append(early);
    expect(await runLog.run(run)).toBeNull();
    for (const table of ["texts", "requests"] as const) expect(await rowsOf(table, early.request_id)).toEqual([]);
    await runLog.append(late);
    expect(await runLog.run(run)).toMatchObject({ requests: 1, groups: 2 });
    await runLog.append(at(1e12, run.run_id, { key_name: "b" }));
    expect(await runLog.run({ ...run, owner: "b" })).toMatchObject({ requests: 1 });
    expect(await deleteAll(() => runLog.deleteRows(run))).toEqual([]);
    expect(await runLog.run(run)).toMatchObject({ requests: 1 });
  });

  it("keeps what is said of a run, before its first request and after, until it is deleted", async () => {
    const { runLog } = store();
    const run = trainers(newRun());
    await runLog.describe(run, { lr: 1e-6, notes: "a\u0000b \ud800", on: true, model: null });
    expect(await runLog.run(run)).toMatchObject({ requests: 0, specs: [], metadata: { lr: 1e-6, model: null } });
    await runLog.append(at(1e12, run.run_id));
    expect(await runLog.run(run)).toMatchObject({ requests: 1, first_step: 0, metadata: { lr: 1e-6, on: true } });
    await runLog.describe(run, { lr: 2 });
    expect((await runLog.run(run))?.metadata).toEqual({ lr: 2 });
    await runLog.markDeleted(run, new Date());
    expect(await runLog.run(run)).toBeNull();
  });

  it("deletes in pieces, and a deletion that was broken off goes on", async () => {
    const { runLog } = store();
    const run = trainers(newRun());
    // A piece is bounded by rollouts, and these say that they have many.
    const big = Array.from({ length: 3 }, (_, i) => at(1e12 + i, run.run_id, { items: 4_000 }));
    for (const entry of big) await runLog.append(entry);
    await runLog.markDeleted(run, new Date(2e12));
    expect((await runLog.deleteRows(run))?.requests).toBe(2);
    await runLog.append(at(3e12, run.run_id));
    await runLog.markDeleted(run, new Date(2e12));
    expect(total(await deleteAll(() => runLog.deleteRows(run)), "requests")).toBe(1);
    expect(await runLog.request(big[2]?.request_id as string, null)).toBeNull();
  });
}
