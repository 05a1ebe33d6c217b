// Owns what every RunLog and SpecStore must do, whatever database is behind it. Run by test/store for each database that is there.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../../src/core/errors.ts";
import { SpecSchema } from "../../src/core/spec.ts";
import type { GroupRow, LogEntry, RunLog, SpecStore, StoredVerdict } from "../../src/ports.ts";
import { groupRows, requestRow, storedTexts } from "../fakes.ts";
import { nextRequestId, rewardsEntry, sizedEntry, verdictsEntry } from "./log-entries.ts";
import { expectedStep, expectedSummary } from "./step-oracle.ts";

export interface StoreUnderTest {
  runLog: RunLog;
  specs: SpecStore;
  /** Rows of a table of the database, for what no route reads. */
  rowsOf(table: "texts" | "requests", requestId: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const row of rows) out.push(row);
  return out;
}

let runsMade = 0;
const newRun = () => `run-${process.pid}-${++runsMade}`;
const named = (entry: Omit<LogEntry, "request_id">, more: Partial<LogEntry> = {}): LogEntry => ({
  ...entry,
  request_id: nextRequestId(),
  ...more,
});
const [sample] = fc.sample(rewardsEntry, { seed: 11, numRuns: 1 }) as [LogEntry];

function storedVerdicts(entry: LogEntry): StoredVerdict[] {
  return entry.groups.flatMap(({ verdicts }, index) =>
    verdicts.map((verdict) => ({ ...verdict, group_id: `${entry.request_id}.${index}` }) as StoredVerdict),
  );
}

/** Declares the suite. `makeStore` opens a migrated database that nobody else uses. */
export function runLogContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`run log on ${name}`, () => {
    let store: StoreUnderTest;
    beforeAll(async () => {
      store = await makeStore();
    }, 60_000);
    afterAll(() => store.close(), 60_000);
    writes(() => store);
    reads(() => store);
    pages(() => store);
    namedSpecs(() => store);
  });
}

function writes(store: () => StoreUnderTest): void {
  it("reproduces every number, null and list of what was answered", async () => {
    await fc.assert(
      fc.asyncProperty(rewardsEntry, async (random) => {
        const { runLog } = store();
        const entry = named(random);
        await runLog.append(entry);
        expect(await runLog.request(entry.request_id)).toEqual(requestRow(entry));
        const verdicts = await Promise.all(entry.groups.map((_, i) => runLog.verdicts(`${entry.request_id}.${i}`)));
        expect(verdicts.flat()).toEqual(storedVerdicts(entry));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it("leaves one set of rows however often an entry is appended, also at the same time", async () => {
    const { runLog } = store();
    const entry = named(sample, { run_id: newRun() });
    await runLog.append(entry);
    await Promise.all([runLog.append(entry), runLog.append(entry), runLog.append(entry)]);
    expect(await runLog.request(entry.request_id)).toEqual(requestRow(entry));
    expect(await runLog.run(entry.run_id as string)).toMatchObject({ requests: 1, groups: entry.groups.length });
    expect(await all(runLog.exportRows(entry.run_id as string, "verdicts"))).toEqual(storedVerdicts(entry));
  });

  it("leaves nothing of an entry with one bad row, and says so without its content", async () => {
    const { runLog } = store();
    const bad = {
      ...(storedVerdicts(sized())[0] as StoredVerdict),
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
    expect(await runLog.request(entry.request_id)).toBeNull();
    expect(await runLog.run(entry.run_id as string)).toBeNull();
    expect(await store().rowsOf("requests", entry.request_id)).toEqual([]);
    await runLog.append(entry);
    expect(await runLog.request(entry.request_id)).toEqual(requestRow(entry));
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
    expect((await runLog.request(entry.request_id))?.groups[0]?.result.group_id).toBe("id\uFFFD\uFFFD");
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
    const verdicts = await all(runLog.exportRows(entry.run_id as string, "verdicts"));
    expect(verdicts).toEqual(storedVerdicts(entry));
  });

  const sized = () => sizedEntry({ run_id: newRun(), step: 0, groups: 3, size: 4 });
}

function reads(store: () => StoreUnderTest): void {
  it("aggregates a run and its steps as a plain computation over the entries does", async () => {
    const entries = fc.array(
      fc.oneof({ weight: 3, arbitrary: rewardsEntry }, { weight: 1, arbitrary: verdictsEntry }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(entries, async (random) => {
        const { runLog } = store();
        const run_id = newRun();
        const logged = random.map((entry) => named(entry, { run_id }));
        for (const entry of logged) await runLog.append(entry);
        const steps = [...new Set(logged.map((entry) => entry.step))].sort((a, b) => (a ?? -1) - (b ?? -1));
        const expected = steps.map((step) =>
          expectedStep(
            step,
            logged.filter((entry) => entry.step === step),
          ),
        );
        expect(await runLog.steps(run_id)).toEqual(expected);
        expect(await runLog.run(run_id)).toMatchObject(expectedSummary(run_id, logged));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("gives a run's specs in order of first use", async () => {
    const { runLog } = store();
    const run_id = newRun();
    const at = (ms: number) => new Date(1.8e12 + ms);
    const spec = (value: string) => ({
      spec_hash: `sha256:${run_id}-${value}`,
      spec: JSON.stringify({ value: `${value}\0` }),
    });
    for (const [value, ms] of [
      ["late", 2],
      ["early", 1],
      ["late", 3],
    ] as const) {
      await runLog.append(named(sample, { run_id, ...spec(value), created_at: at(ms) }));
    }
    const detail = await runLog.run(run_id);
    expect(detail?.specs).toEqual([
      { spec_hash: `sha256:${run_id}-early`, spec: { value: "early\0" }, requests: 1, first_at: at(1).toISOString() },
      { spec_hash: `sha256:${run_id}-late`, spec: { value: "late\0" }, requests: 2, first_at: at(2).toISOString() },
    ]);
  });

  it("tells unknown from empty", async () => {
    const { runLog } = store();
    expect(await runLog.run("no-such-run")).toBeNull();
    expect(await runLog.steps("no-such-run")).toEqual([]);
    expect(await runLog.request(nextRequestId())).toBeNull();
    for (const id of [`${nextRequestId()}.0`, "nonsense", "a.b", "1.99999", "x\0.1"])
      expect(await runLog.verdicts(id)).toBeNull();
    const entry = named(sample, { groups: sample.groups.slice(0, 1).map((group) => ({ ...group, verdicts: [] })) });
    await runLog.append(entry);
    expect(await runLog.verdicts(`${entry.request_id}.0`)).toEqual([]);
    expect(await runLog.verdicts(`${entry.request_id}.1`)).toBeNull();
  });

  it("says that it is ready", async () => {
    expect(await store().runLog.check()).toMatchObject({ ok: true });
  });
}

function pages(store: () => StoreUnderTest): void {
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
      const page: Awaited<ReturnType<RunLog["runs"]>> = await runLog.runs({ cursor, limit: 2 });
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
        const page: Awaited<ReturnType<RunLog["groups"]>> = await runLog.groups(run_id, { step, cursor, limit: 4 });
        out.push(...page.rows);
        cursor = page.next_cursor;
        if (cursor === null) return out;
      }
    };
    expect(await paged(null)).toEqual(entries.flatMap(groupRows));
    expect(await paged(0)).toEqual([entries[0], entries[2]].flatMap((entry) => groupRows(entry as LogEntry)));
    expect((await runLog.groups(run_id, { step: null, cursor: null, limit: 33 })).next_cursor).toBeNull();
    expect(await all(runLog.exportRows(run_id, "groups"))).toEqual(entries.flatMap(groupRows));
    expect(await all(runLog.exportRows(run_id, "verdicts"))).toEqual(entries.flatMap(storedVerdicts));
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
    expect(await all(runLog.exportRows(run_id, "texts"))).toEqual(texts);
  });

  it("refuses a cursor of another list or of nobody, naming the field", async () => {
    const { runLog } = store();
    const { next_cursor } = await runLog.runs({ cursor: null, limit: 1 });
    const foreign = Buffer.from(JSON.stringify(["groups", "\0", 1e300])).toString("base64url");
    for (const cursor of [next_cursor as string, foreign, "", "%%%", "bnVsbA"]) {
      const fault = await runLog.groups("r", { step: null, cursor, limit: 1 }).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ApiError);
      expect(fault).toMatchObject({ code: "invalid_request", errors: [{ path: "cursor" }] });
    }
  });
}

function namedSpecs(store: () => StoreUnderTest): void {
  it("gives back the spec that was put last under a name, and null for no name", async () => {
    const { specs } = store();
    const first = SpecSchema.parse({ seed: 1, format: { rules: [{ regex: "a\\x00\0" }] } });
    const second = SpecSchema.parse({ judge: { mode: "listwise" }, overlong: { max_tokens: 9, cache_tokens: 3 } });
    expect(await specs.get("absent")).toBeNull();
    await specs.put("mine", first);
    expect(await specs.get("mine")).toEqual(first);
    await specs.put("mine", second);
    expect(await specs.get("mine")).toEqual(second);
  });
}
