// The guarantees of measuring: pass rates are shares of tests, failures of the engine are none, and nothing
// is run twice.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { newCandidate } from "../../testbed/format/pool-format.ts";
import { Meter, measureCandidates } from "../../testbed/sets/measuring.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";
import { problem, textEngine } from "./pools.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const made = (code: string, language = "python") =>
  newCandidate({ problem_id: "p", language, generator: "people", code });

async function measured(codes: readonly string[], cache: PassRateCache) {
  const engine = textEngine();
  const candidates = await Promise.all(codes.map((code) => made(code)));
  const rows = await measureCandidates(new Meter(engine, cache), [problem("p")], candidates);
  return { rows, run: engine.programs };
}

describe("a pass rate", () => {
  it("is the share of tests passed, with the reasons of the rest", async () => {
    const { rows } = await measured(["pass 20", "pass 14", "fail timeout"], await PassRateCache.open());
    expect(rows.map(({ pass_rate, failures }) => ({ pass_rate, failures }))).toEqual([
      { pass_rate: 1, failures: {} },
      { pass_rate: 0.7, failures: { wrong: 6 } },
      { pass_rate: 0, failures: { timeout: 20 } },
    ]);
  });

  it("is null, never a number, when the engine failed or does not know the language", async () => {
    const engine = textEngine();
    const candidates = [await made("crash"), await made("pass 20", "cobol")];
    const rows = await measureCandidates(new Meter(engine, await PassRateCache.open()), [problem("p")], candidates);
    expect(rows.map(({ pass_rate, passed, total }) => [pass_rate, passed, total])).toEqual([
      [null, null, null],
      [null, null, null],
    ]);
    expect(rows.map(({ unmeasured }) => unmeasured)).toEqual(["the engine crashed", "text does not run cobol"]);
  });
});

describe("the cache", () => {
  it("spares a second run of the same program, in the next process too, but not of one that could not be measured", async () => {
    const file = join(folder.path, "deep/cache.jsonl");
    const first = await measured(["pass 3", "crash"], await PassRateCache.open(file));
    appendFileSync(file, '{"key":"half-writ');
    const second = await measured(["pass 3", "crash", "pass 4"], await PassRateCache.open(file));
    expect(first.run).toEqual(["pass 3", "crash"]);
    expect(second.run).toEqual(["crash", "pass 4"]);
    expect(second.rows[0]).toEqual(first.rows[0]);
  });

  it("does not take the same program on other tests, or by another engine, for measured", async () => {
    const cache = await PassRateCache.open();
    const engine = textEngine();
    const { tests } = problem("p");
    await new Meter(engine, cache).measure({ language: "python", code: "pass 3" }, tests);
    await new Meter(engine, cache).measure({ language: "python", code: "pass 3" }, tests.slice(1));
    await new Meter({ ...engine, name: "other" }, cache).measure({ language: "python", code: "pass 3" }, tests);
    expect(engine.programs).toHaveLength(3);
  });

  it("keeps one line per program", async () => {
    const file = join(folder.path, "lines.jsonl");
    await measured(["pass 3", "pass 4"], await PassRateCache.open(file));
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(2);
  });
});
