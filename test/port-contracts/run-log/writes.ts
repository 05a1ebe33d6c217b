// The part of the run log's contract on what is written: whole or not at all, once, with its texts.

import { expect, it } from "vitest";
import type { StoredTurns } from "../../../src/core/contract/export-tables.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { LogEntry, VerdictRow } from "../../../src/ports/log-entry.ts";
import { groupVerdicts, requestRow, storedTexts, storedTurns } from "../../harness/fakes.ts";
import { loggedGroupsOf } from "../../harness/logged-groups.ts";
import fc from "../../harness/property.ts";
import { rewardsEntry, sizedEntry } from "../log-entries.ts";

import { all, named, newRun, runOf, type StoreUnderTest, sample, storedVerdicts } from "./store.ts";

export function writes(store: () => StoreUnderTest): void {
  it("reproduces every number, null and list of what was answered", async () => {
    await fc.assert(
      fc.asyncProperty(rewardsEntry, async (random) => {
        const { runLog } = store();
        const entry = named(random);
        await runLog.append(entry);
        expect(await runLog.request(entry.request_id, null)).toEqual(requestRow(entry));
        const verdicts = await Promise.all(
          entry.groups.map((_, i) => runLog.verdicts(`${entry.request_id}.${i}`, null)),
        );
        expect(verdicts).toEqual(entry.groups.map((_, i) => groupVerdicts(entry, i)));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it("leaves one set of rows however often an entry is appended, also at the same time", async () => {
    const { runLog } = store();
    const entry = named(sample, { run_id: newRun() });
    await runLog.append(entry);
    await Promise.all([runLog.append(entry), runLog.append(entry), runLog.append(entry)]);
    expect(await runLog.request(entry.request_id, null)).toEqual(requestRow(entry));
    expect(await runLog.run(runOf(entry))).toMatchObject({ requests: 1, groups: entry.groups.length });
    expect(await all(runLog.exportRows(runOf(entry), "verdicts"))).toEqual(storedVerdicts(entry));
  });

  it("leaves nothing of an entry with one bad row, and says so without its content", async () => {
    const { runLog } = store();
    const bad = {
      ...(sized().groups[0]?.verdicts[0] as VerdictRow),
      finish_reason: "SECRET-TEXT",
      prompt_tokens: 2 ** 40,
    };
    const entry = sized();
    const groups = entry.groups.map((group, i) =>
      i === 1 ? { ...group, verdicts: [...group.verdicts.slice(1), bad] } : group,
    );
    const error = await runLog.append({ ...entry, groups }).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(Error);
    const shown = `${error} ${(error as Error).stack} ${JSON.stringify(error)} ${(error as Error).cause}`;
    expect(shown).not.toMatch(/SECRET-TEXT|INSERT|unnest|postgres:/);
    expect(await runLog.request(entry.request_id, null)).toBeNull();
    expect(await runLog.run(runOf(entry))).toBeNull();
    expect(await store().rowsOf("requests", entry.request_id)).toEqual([]);
    await runLog.append(entry);
    expect(await runLog.request(entry.request_id, null)).toEqual(requestRow(entry));
  });

  it("stores texts only where the entry has them, with U+FFFD for what Postgres cannot hold", async () => {
    const { runLog } = store();
    const entry = sized();
    const [first, ...rest] = entry.groups as [LogEntry["groups"][number], ...LogEntry["groups"]];
    const [rollout, ...others] = first.rollouts.map((row) => ({ ...row, text: null }));
    const odd = { ...rollout, text: 'a\0b\ud800c "\\{},NULL\n' } as LogEntry["groups"][number]["rollouts"][number];
    const silent = rest.map((group) => ({
      ...group,
      prompt: null,
      rollouts: group.rollouts.map((r) => ({ ...r, text: null })),
    }));
    const result = { ...first.result, group_id: "id\0\udc00" };
    const logged = { ...first, result, prompt: "\0", rollouts: [odd, ...others] };
    await runLog.append({ ...entry, warnings: ["w\0\ud800"], groups: [logged, ...silent] });
    const texts = await store().rowsOf("texts", entry.request_id);
    expect(texts.map((row) => [row.group_index, row.rollout_index, row.text])).toEqual([
      ["0", "-1", "\uFFFD"],
      ["0", "0", 'a\uFFFDb\uFFFDc "\\{},NULL\n'],
    ]);
    expect((await runLog.request(entry.request_id, null))?.groups[0]?.result.group_id).toBe("id\uFFFD\uFFFD");
  });

  it("keeps what the verifier wrote beside its verdict, apart from the verdicts, and nobody else's", async () => {
    const { runLog } = store();
    const entry = sized();
    const [first, ...rest] = entry.groups as [LogEntry["groups"][number], ...LogEntry["groups"]];
    const verdicts = first.verdicts.map((row, i) => (i === 0 ? { ...row, text: "A\0 is \ud800better" } : row));
    await runLog.append({ ...entry, groups: [{ ...first, verdicts }, ...rest] });
    const told = await runLog.verdicts(`${entry.request_id}.0`, null);
    expect(told?.verdicts.map(({ text }) => text)).toEqual([
      "A\uFFFD is \uFFFDbetter",
      ...verdicts.slice(1).map(() => undefined),
    ]);
    expect(await all(runLog.exportRows(runOf(entry), "verdicts"))).toEqual(storedVerdicts(entry));
    const texts = await runLog.texts(`${entry.request_id}.0`, null);
    expect(texts).toEqual(storedTexts(entry).filter(({ group_id }) => group_id === `${entry.request_id}.0`));
    expect(await runLog.texts(`${entry.request_id}.99`, null)).toBeNull();
    expect(await runLog.texts(`${entry.request_id}.0`, "somebody-else")).toBeNull();
    expect(await runLog.texts("nonsense", null)).toBeNull();
  });

  it("keeps what an audit's judge said apart from the rewards' verdicts, and both beside their group", async () => {
    const { runLog } = store();
    const entry = sized();
    const [first, ...rest] = entry.groups as [LogEntry["groups"][number], ...LogEntry["groups"]];
    // The same places as the rewards' own, with other letters, and a text at one.
    const said = first.verdicts.map(({ signal: _, ...row }) => ({ ...row, letter: "B", model: "second" }));
    const audit_verdicts = said.map((row, i) => (i === 1 ? { ...row, text: "B\0 is better" } : row));
    await runLog.append({ ...entry, groups: [{ ...first, audit_verdicts }, ...rest] });
    const told = await runLog.verdicts(`${entry.request_id}.0`, null);
    expect(told?.verdicts).toEqual(groupVerdicts(entry, 0).verdicts);
    expect(told?.audit.map(({ letter, model, text }) => [letter, model, text])).toEqual(
      said.map((_, i) => ["B", "second", i === 1 ? "B\uFFFD is better" : undefined]),
    );
    expect(await all(runLog.exportRows(runOf(entry), "verdicts"))).toEqual(storedVerdicts(entry));
    expect(await all(runLog.exportRows(runOf(entry), "audit_verdicts"))).toEqual(told?.audit);
    const bounds = { from: null, to: null };
    const wanted = { spec_hashes: [entry.spec_hash], verdicts: true };
    const logged = await all(runLog.loggedGroups(runOf(entry), bounds, wanted));
    expect(logged).toEqual(loggedGroupsOf(entry, true));
  });

  it("keeps of rollouts of several turns their hashes and counts, and what their judge saw", async () => {
    const { runLog } = store();
    const entry = sized();
    const [first, ...rest] = entry.groups as [LogEntry["groups"][number], ...LogEntry["groups"]];
    const hashes = Array.from({ length: LIMITS.turn_hashes_max + 1 }, (_, t) => `${t}`.padStart(64, "0"));
    const rollouts = first.rollouts.map((row, r) =>
      r === 1 ? row : { ...row, turn_hashes: hashes.slice(0, r || 5000) },
    );
    const told = first.result.rollouts.map((rollout, r) =>
      r === 1 ? rollout : { ...rollout, shown: r / 8, ...(r === 2 && { left_out: { results: 7 } }) },
    );
    const turned = { ...first, rollouts, result: { ...first.result, rollouts: told, shared_turns: 3 } };
    const logged = { ...entry, groups: [turned, ...rest] };
    await runLog.append(logged);
    const [row] = (await runLog.request(entry.request_id, null))?.groups ?? [];
    expect(row?.turns).toEqual([LIMITS.turn_hashes_max + 1, null, 2, 3]);
    expect(row?.result).toEqual(turned.result);
    const kept = await all(runLog.exportRows(runOf(entry), "turns"));
    expect(kept).toEqual(storedTurns(logged));
    expect(kept.map((turns) => (turns as StoredTurns).hashes.length)).toEqual([LIMITS.turn_hashes_max, 2, 3]);
  });

  it("stores 64 groups of 16 rollouts, every pair asked, well within the store's time limit", async () => {
    const { runLog } = store();
    const entry = sizedEntry({ run_id: newRun(), step: 1, groups: 64, size: 16 });
    const start = performance.now();
    const cpu = process.cpuUsage();
    await runLog.append(entry);
    const { user, system } = process.cpuUsage(cpu);
    const ms = Math.round(performance.now() - start);
    console.log(
      `append of 1,024 rollouts and 7,680 verdicts: ${ms} ms, ${Math.round((user + system) / 1000)} ms of CPU here`,
    );
    const verdicts = await all(runLog.exportRows(runOf(entry), "verdicts"));
    expect(verdicts).toEqual(storedVerdicts(entry));
  });

  const sized = () => sizedEntry({ run_id: newRun(), step: 0, groups: 3, size: 4 });
}
