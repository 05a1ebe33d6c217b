// Owns what every RunLog and SpecStore must do, whatever database is behind it. Run by test/run-log
// for each database that is there.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownerOf } from "../../src/core/contract/owner.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { SpecSchema } from "../../src/core/signals/flat-spec.ts";
import type { SpecStore } from "../../src/scoring/ports.ts";
import type { GroupRow, LogEntry, RunLog, StoredVerdict, VerdictRow } from "../../src/scoring/run-log-port.ts";
import { groupRows, requestRow, storedSignals, storedTexts } from "../harness/fakes.ts";
import { healthRowsOf } from "./health-oracle.ts";
import { nextRequestId, rewardsEntry, sizedEntry, verdictsEntry, withSignals } from "./log-entries.ts";
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
  ...(more.run_id !== undefined && { key_name: "trainer" }),
  ...more,
});
const ALL_STEPS = { after: null, from: null, to: null, limit: null };
const runOf = ({ run_id, key_name }: LogEntry) => ({ run_id: run_id as string, owner: ownerOf(key_name) });
const trainers = (run_id: string) => ({ run_id, owner: "trainer" });
const [sample] = fc.sample(rewardsEntry, { seed: 11, numRuns: 1 }) as [LogEntry];

function storedVerdicts(entry: LogEntry): StoredVerdict[] {
  return entry.groups.flatMap(({ verdicts }, index) =>
    verdicts.map(({ verdict, ...row }) => {
      const group_id = `${entry.request_id}.${index}`;
      return { ...row, ...(verdict !== null && { verdict }), group_id } as StoredVerdict;
    }),
  );
}

/** Numbers up to 1e9 that add up to little, in another order. */
const nearly = (row: object): unknown =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "number" ? expect.closeTo(value, 4) : value]),
  );

/** Declares the suite. `makeStore` opens a migrated database that nobody else uses. */
export function runLogContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`run log on ${name}`, () => {
    let store: StoreUnderTest;
    beforeAll(async () => {
      store = await makeStore();
    });
    afterAll(() => store.close());
    writes(() => store);
    reads(() => store);
    pages(() => store);
    owned(() => store);
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
        expect(await runLog.request(entry.request_id, null)).toEqual(requestRow(entry));
        const verdicts = await Promise.all(
          entry.groups.map((_, i) => runLog.verdicts(`${entry.request_id}.${i}`, null)),
        );
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
        expect(await runLog.steps(trainers(run_id), ALL_STEPS)).toEqual(expected);
        expect(await runLog.run(trainers(run_id))).toMatchObject(expectedSummary(run_id, logged));
        const last = await runLog.health(trainers(run_id), 2);
        expect(last).toEqual(healthRowsOf(logged, 2).map(nearly));
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it("tells of each run's spec whether its own requests asked for texts, though the spec's hash is the same", async () => {
    const { runLog } = store();
    const spec_hash = `sha256:${newRun()}`;
    const said = async (log_texts: boolean) => {
      const entry = named(sample, { run_id: newRun(), spec_hash, spec: JSON.stringify({ seed: 0, log_texts }) });
      await runLog.append(entry);
      return (await runLog.run(runOf(entry)))?.specs.map(({ spec }) => spec);
    };
    expect(await said(false)).toEqual([{ seed: 0, log_texts: false }]);
    expect(await said(true)).toEqual([{ seed: 0, log_texts: true }]);
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
    const detail = await runLog.run(trainers(run_id));
    expect(detail?.specs).toEqual([
      { spec_hash: `sha256:${run_id}-early`, spec: { value: "early\0" }, requests: 1, first_at: at(1).toISOString() },
      { spec_hash: `sha256:${run_id}-late`, spec: { value: "late\0" }, requests: 2, first_at: at(2).toISOString() },
    ]);
  });

  it("tells unknown from empty", async () => {
    const { runLog } = store();
    expect(await runLog.run(trainers("no-such-run"))).toBeNull();
    expect(await runLog.steps(trainers("no-such-run"), ALL_STEPS)).toEqual([]);
    expect(await runLog.request(nextRequestId(), null)).toBeNull();
    for (const id of [`${nextRequestId()}.0`, "nonsense", "a.b", "1.99999", "x\0.1"])
      expect(await runLog.verdicts(id, null)).toBeNull();
    const entry = named(sample, { groups: sample.groups.slice(0, 1).map((group) => ({ ...group, verdicts: [] })) });
    await runLog.append(entry);
    expect(await runLog.verdicts(`${entry.request_id}.0`, null)).toEqual([]);
    expect(await runLog.verdicts(`${entry.request_id}.1`, null)).toBeNull();
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

function owned(store: () => StoreUnderTest): void {
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
      expect((await all(runLog.exportRows(run, "texts"))).length).toBe(own.flatMap(storedTexts).length);
      for (const entry of entries) {
        const mine = own.includes(entry);
        expect(await runLog.request(entry.request_id, owner)).toEqual(mine ? requestRow(entry) : null);
        expect(await runLog.verdicts(`${entry.request_id}.0`, owner)).toEqual(
          mine ? storedVerdicts({ ...entry, groups: entry.groups.slice(0, 1) }) : null,
        );
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
