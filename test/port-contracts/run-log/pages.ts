// The part of the run log's contract on lists and exports page by page.

import { expect, it } from "vitest";
import { ApiError } from "../../../src/core/faults/errors.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { GroupRow } from "../../../src/ports/logged-rows.ts";
import type { RunLog } from "../../../src/ports/run-log.ts";
import { groupRows, storedSignals, storedTexts } from "../../harness/fakes.ts";
import { isWithin, lacksLengthsOf, loggedGroupsOf, specsUsedOf } from "../../harness/logged-groups.ts";
import fc from "../../harness/property.ts";
import { rewardsEntry, sizedEntry, withSignals } from "../log-entries.ts";

import { all, named, newRun, type StoreUnderTest, sample, storedVerdicts, trainers } from "./store.ts";

export function pages(store: () => StoreUnderTest): void {
  it("pages through runs, newest first, each once, while runs go on", async () => {
    const { runLog } = store();
    const ids = Array.from({ length: 7 }, newRun);
    // Later than all other runs of the suite; three of them begin in the same millisecond.
    const began = ids.map((_, i) => new Date(1.95e12 + Math.min(i, 4)));
    for (const [i, run_id] of ids.entries())
      await runLog.append(named(sample, { run_id, created_at: began[i] as Date }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<RunLog["runs"]>> = await runLog.runs({ owner: null, cursor, limit: 2 });
      seen.push(...page.rows.map((run) => run.run_id));
      cursor = page.next_cursor;
      await runLog.append(named(sample, { run_id: ids[0] as string, created_at: new Date(1.96e12) }));
    } while (cursor !== null && seen.length < 8);
    expect(seen.slice(0, 7).sort()).toEqual([...ids].sort());
    expect(seen.slice(3, 7)).toEqual([...ids].slice(0, 4).reverse());
  });

  it("pages through a run's groups, oldest first, each once, also by step", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const entries = [0, 1, 0].map((step) => ({ ...sizedEntry({ run_id, step, groups: 11, size: 2 }) }));
    for (const entry of entries) await runLog.append(entry);
    const paged = async (step: number | null) => {
      const out: GroupRow[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Awaited<ReturnType<RunLog["groups"]>> = await runLog.groups(trainers(run_id), {
          step,
          cursor,
          limit: 4,
        });
        out.push(...page.rows);
        cursor = page.next_cursor;
        if (cursor === null) return out;
      }
    };
    expect(await paged(null)).toEqual(entries.flatMap(groupRows));
    expect(await paged(0)).toEqual([entries[0], entries[2]].flatMap((entry) => groupRows(entry as LogEntry)));
    expect((await runLog.groups(trainers(run_id), { step: null, cursor: null, limit: 33 })).next_cursor).toBeNull();
    expect(await all(runLog.exportRows(trainers(run_id), "groups"))).toEqual(entries.flatMap(groupRows));
    expect(await all(runLog.exportRows(trainers(run_id), "verdicts"))).toEqual(entries.flatMap(storedVerdicts));
  });

  it("exports the texts that were logged, whole and in order, over pages and requests", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const long = "wörd 😀 ".repeat(40_000);
    const withTexts = (entry: LogEntry): LogEntry => ({
      ...entry,
      groups: entry.groups.map((group, g) => ({
        ...group,
        prompt: g === 1 ? "" : `prompt ${g}`,
        rollouts: group.rollouts.map((rollout, r) => ({ ...rollout, text: r === 2 ? long : `rollout ${r}` })),
      })),
    });
    const silent = sizedEntry({ run_id, step: 1, groups: 1, size: 2 });
    const bare = {
      ...silent,
      groups: silent.groups.map((group) => ({
        ...group,
        prompt: null,
        rollouts: group.rollouts.map((rollout) => ({ ...rollout, text: null })),
      })),
    };
    const entries = [withTexts(sizedEntry({ run_id, step: 0, groups: 3, size: 16 })), bare];
    entries.push(withTexts(sizedEntry({ run_id, step: 2, groups: 2, size: 4 })));
    for (const entry of entries) await runLog.append(entry);
    const texts = entries.flatMap(storedTexts);
    expect(texts).toHaveLength(3 * 17 + 2 * 5);
    expect(await all(runLog.exportRows(trainers(run_id), "texts"))).toEqual(texts);
  });

  it("gives back what signals a spec named: as the rollouts' components and errors, and row by row", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const entry = withSignals(sizedEntry({ run_id, step: 0, groups: 2, size: 3 }));
    const plain = sizedEntry({ run_id, step: 1, groups: 1, size: 2 });
    for (const one of [entry, plain]) await runLog.append(one);
    await runLog.append(entry);
    const groups = await all(runLog.exportRows(trainers(run_id), "groups"));
    expect(groups).toEqual([entry, plain].flatMap(groupRows));
    expect((await runLog.request(entry.request_id, null))?.groups).toEqual(groupRows(entry));
    const rows = await all(runLog.exportRows(trainers(run_id), "signals"));
    expect(rows).toHaveLength(2 * 3 * 2);
    expect(rows).toEqual(storedSignals(entry));
  });

  it("gives back of each group what it takes to score it again, over pages and requests, by spec and step", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const specOf = (n: number) => ({ spec_hash: `sha256:${n}`, spec: `{"seed":${n}}` });
    const drawn = fc.sample(rewardsEntry, { seed: 17, numRuns: 12 }).map((entry, i) => {
      const own = named(entry, {
        run_id,
        step: i % 3 === 0 ? null : i,
        ...specOf(i % 2),
        key_name: "trainer",
      });
      return i % 4 === 1 ? withSignals(own) : own;
    });
    const many = { ...sizedEntry({ run_id, step: 5, groups: 70, size: 3 }), ...specOf(1) };
    const entries = [...drawn, many].toSorted((a, b) => (a.request_id < b.request_id ? -1 : 1));
    for (const entry of entries) await runLog.append(entry);
    await runLog.append(named(sample, { run_id, key_name: "another" }));
    for (const bounds of [
      { from: null, to: null },
      { from: 2, to: 7 },
      { from: 5, to: null },
    ]) {
      expect(await runLog.specsUsed(trainers(run_id), bounds)).toEqual(specsUsedOf(entries, bounds));
      expect(await runLog.lacksLengths(trainers(run_id), bounds)).toBe(lacksLengthsOf(entries, bounds));
      for (const verdicts of [true, false]) {
        for (const spec_hashes of [["sha256:0", "sha256:1"], ["sha256:1"]]) {
          const wanted = entries.filter((one) => isWithin(one, bounds) && spec_hashes.includes(one.spec_hash));
          const told = await all(runLog.loggedGroups(trainers(run_id), bounds, { spec_hashes, verdicts }));
          expect(told).toEqual(wanted.flatMap((entry) => loggedGroupsOf(entry, verdicts)));
        }
      }
    }
    expect(await runLog.specsUsed(trainers(newRun()), { from: null, to: null })).toEqual([]);
  });

  it("refuses a cursor of another list or of nobody, naming the field", async () => {
    const { runLog } = store();
    const { next_cursor } = await runLog.runs({ owner: null, cursor: null, limit: 1 });
    const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
    const beyond = [2 ** 31, 2 ** 53, 8.64e15, 1e300, -1, 0.5, "1"].map((index) => cursorOf("groups", "a", index));
    for (const cursor of [next_cursor as string, cursorOf("groups", "\0", 1), ...beyond, "", "%%%", "bnVsbA"]) {
      const fault = await runLog
        .groups(trainers("r"), { step: null, cursor, limit: 1 })
        .catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ApiError);
      expect(fault).toMatchObject({ code: "invalid_request", errors: [{ path: "cursor" }] });
    }
    // Instants that a Date can hold and a database cannot read.
    for (const at of [8.64e15, -8.64e15, 253_402_300_800_000, -1]) {
      const page = { owner: null, cursor: cursorOf("runs", at, "r", ""), limit: 1 };
      expect(await runLog.runs(page).catch((error: unknown) => error)).toMatchObject({ code: "invalid_request" });
    }
    const last = { owner: null, cursor: cursorOf("runs", 253_402_300_799_999, "r", ""), limit: 1 };
    expect((await runLog.runs(last)).rows).toHaveLength(1);
  });
}
