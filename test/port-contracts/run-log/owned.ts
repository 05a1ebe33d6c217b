import { expect, it } from "vitest";
import { ownerOf } from "../../../src/core/contract/owner.ts";
import type { LogEntry } from "../../../src/ports/log-entry.ts";
import type { RunLog } from "../../../src/ports/run-log.ts";
import { groupRows, groupVerdicts, requestRow, storedTexts, storedTurns } from "../../harness/fakes.ts";
import { sizedEntry } from "../log-entries.ts";
import { expectedSummary } from "../step-oracle.ts";

import {
  ALL_STEPS,
  all,
  named,
  newRun,
  type StoreUnderTest,
  sample,
  storedAudit,
  storedVerdicts,
  trainers,
} from "./store.ts";

export function owned(store: () => StoreUnderTest): void {
  const step = (owner: string | null, run_id: string, at: number, parts: Partial<LogEntry> = {}) => ({
    ...sizedEntry({ run_id, step: at, groups: 2, size: 3 }),
    key_name: owner,
    ...parts,
  });

  it("keeps runs of one id apart by owner, nobody's too, in everything that reads them", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const entries = [step("a", run_id, 0), step("b", run_id, 1), step(null, run_id, 2), step("a", run_id, 3)];
    for (const entry of entries) await runLog.append(entry);
    expect(await runLog.owners(run_id, 9)).toEqual(["", "a", "b"]);
    expect(await runLog.owners(run_id, 2)).toEqual(["", "a"]);
    for (const owner of ["a", "b", ""]) {
      const own = entries.filter(({ key_name }) => ownerOf(key_name) === owner);
      const run = { owner, run_id };
      expect(await runLog.run(run)).toMatchObject({ ...expectedSummary(run_id, own), owner: owner || null });
      expect((await runLog.run(run))?.specs).toMatchObject([{ requests: own.length }]);
      const page = { step: null, cursor: null, limit: 100 };
      expect((await runLog.groups(run, page)).rows).toEqual(own.flatMap(groupRows));
      expect((await runLog.groups(run, { ...page, step: 1 })).rows).toEqual(
        owner === "b" ? own.flatMap(groupRows) : [],
      );
      expect((await runLog.steps(run, ALL_STEPS)).map((row) => row.step)).toEqual(own.map((entry) => entry.step));
      expect(await all(runLog.exportRows(run, "groups"))).toEqual(own.flatMap(groupRows));
      expect(await all(runLog.exportRows(run, "verdicts"))).toEqual(own.flatMap(storedVerdicts));
      expect(await all(runLog.exportRows(run, "audit_verdicts"))).toEqual(own.flatMap(storedAudit));
      expect(await all(runLog.exportRows(run, "turns"))).toEqual(own.flatMap(storedTurns));
      expect((await all(runLog.exportRows(run, "texts"))).length).toBe(own.flatMap(storedTexts).length);
      for (const entry of entries) {
        const mine = own.includes(entry);
        expect(await runLog.request(entry.request_id, owner)).toEqual(mine ? requestRow(entry) : null);
        expect(await runLog.verdicts(`${entry.request_id}.0`, owner)).toEqual(mine ? groupVerdicts(entry, 0) : null);
      }
    }
    expect(await runLog.run({ owner: "c", run_id })).toBeNull();
    expect(await runLog.steps({ owner: "c", run_id }, ALL_STEPS)).toEqual([]);
  });

  it("adds a request to its own owner's run only, also when several are stored at once", async () => {
    const { runLog } = store();
    const run_id = newRun();
    await runLog.append(step("a", run_id, 0));
    const before = await runLog.run({ owner: "a", run_id });
    await Promise.all([runLog.append(step("b", run_id, 5)), runLog.append(step("b", run_id, 6))]);
    expect(await runLog.run({ owner: "a", run_id })).toEqual(before);
    expect(await runLog.run({ owner: "b", run_id })).toMatchObject({ requests: 2, first_step: 5, last_step: 6 });
  });

  it("keeps an attempt whose client left apart from its run's steps, groups and totals, and deletes it with them", async () => {
    const { runLog } = store();
    const run = trainers(newRun());
    const attempt = step(run.owner, run.run_id, 3, { kind: "attempt" });
    const again = step(run.owner, run.run_id, 3);
    for (const entry of [attempt, again]) await runLog.append(entry);
    const [{ prompt_tokens: _, completion_tokens: __, ...totals }, told] = [
      expectedSummary(run.run_id, [again]),
      await runLog.run(run),
    ];
    expect(told).toMatchObject({ ...totals, specs: [{ requests: 1 }] });
    expect(await runLog.steps(run, ALL_STEPS)).toMatchObject([{ step: 3, requests: 1, groups: 2, rollouts: 6 }]);
    expect((await runLog.groups(run, { step: 3, cursor: null, limit: 9 })).rows).toEqual(groupRows(again));
    expect(await all(runLog.exportRows(run, "groups"))).toEqual(groupRows(again));
    expect(await runLog.health(run, 9)).toHaveLength(1);
    expect(await runLog.request(attempt.request_id, run.owner)).toMatchObject({ kind: "attempt", step: 3 });
    await runLog.markDeleted(run, new Date(2.2e12));
    while ((await runLog.deleteRows(run)) !== null);
    expect(await runLog.request(attempt.request_id, run.owner)).toBeNull();
  });

  it("lists one owner's runs, or all with whose they are, each once over pages", async () => {
    const { runLog } = store();
    const run_id = newRun();
    // Three owners' runs of one id that began at the same instant, later than all others of the
    // suite.
    const created_at = new Date(2.1e12);
    for (const owner of ["a", "b", null]) await runLog.append(step(owner, run_id, 0, { created_at }));
    const listed = async (owner: string | null) => {
      const seen: (string | null)[] = [];
      for (let cursor: string | null = null, pages = 0; pages < 4; pages++) {
        const page: Awaited<ReturnType<RunLog["runs"]>> = await runLog.runs({ owner, cursor, limit: 1 });
        seen.push(...page.rows.filter((run) => run.run_id === run_id).map((run) => run.owner));
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      return seen;
    };
    expect(await listed(null)).toEqual(["b", "a", null]);
    expect(await listed("b")).toEqual(["b"]);
    expect(await listed("")).toEqual([null]);
  });

  it("gives the steps of a range, lowest first, at most a limit; what has no step only unbounded", async () => {
    const { runLog } = store();
    const run = trainers(newRun());
    for (const at of [null, 0, 1, 1, 5, 2_147_483_647]) {
      await runLog.append(named(sample, { run_id: run.run_id, step: at }));
    }
    const of = async (range: Partial<Parameters<RunLog["steps"]>[1]>) =>
      (await runLog.steps(run, { ...ALL_STEPS, ...range })).map((row) => row.step);
    expect(await of({})).toEqual([null, 0, 1, 5, 2_147_483_647]);
    expect(await of({ limit: 1 })).toEqual([null]);
    expect(await of({ limit: 3 })).toEqual([null, 0, 1]);
    expect(await of({ after: 0, limit: 2 })).toEqual([1, 5]);
    expect(await of({ from: 1, to: 5 })).toEqual([1, 5]);
    expect(await of({ to: 0 })).toEqual([0]);
    expect(await of({ after: 2_147_483_647 })).toEqual([]);
    expect(await of({ from: 5, to: 1 })).toEqual([]);
    expect((await runLog.steps(run, { ...ALL_STEPS, from: 1, to: 1 }))[0]).toMatchObject({ requests: 2 });
  });
}
