// The guarantees of the committed set: it is sound, large enough, follows from its own candidates, and its
// pass rates can be measured again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { buildCommand } from "../../testbed/commands/build.ts";
import { remeasuredFaults } from "../../testbed/commands/check.ts";
import { createEmbeddedEngine } from "../../testbed/engines/embedded.ts";
import { Omissions } from "../../testbed/format/jsonl.ts";
import { Meter } from "../../testbed/sets/measuring.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";
import { contentFaults, fileFaults, readSetContent, type SetContent } from "../../testbed/sets/set-check.ts";
import { SHORTCUTS, shortcutAccuracy } from "../../testbed/sets/shortcuts.ts";
import { problemFolders } from "../../testbed/sources/problem-folders.ts";
import { readSource } from "../../testbed/sources/source.ts";

const SET = "sets/small";
const folder = temporaryFolder();
afterAll(() => folder.remove());

let set: SetContent;
beforeAll(async () => {
  set = await readSetContent(SET);
});

describe("the committed set", () => {
  it("is sound", () => {
    expect([...fileFaults(SET, set.manifest), ...contentFaults(set)]).toEqual([]);
  });

  it("has at least 40 problems and 300 lists, and every split, bucket, length and language", () => {
    expect(set.problems.length).toBeGreaterThanOrEqual(40);
    expect(set.lists.length).toBeGreaterThanOrEqual(300);
    const cells = set.manifest.cells.map(
      ({ split, bucket, length, language }) => `${split} ${bucket} ${length} ${language}`,
    );
    const splits = ["train", "validation", "test"].flatMap((split) => [`${split} easy`, `${split} hard`]);
    const all = splits.flatMap((part) =>
      [2, 3, 4, 5].flatMap((n) => [`${part} ${n} python`, `${part} ${n} javascript`]),
    );
    expect(cells.sort()).toEqual(all.sort());
  });

  it("has the statements and tests that this repository's problems have now", async () => {
    for (const root of ["problems/examples", "problems/sets"]) {
      const { problems } = await readSource(problemFolders(root), new Omissions());
      const kept = set.problems.filter(({ source }) => source === root);
      const now = new Map(problems.map((problem) => [problem.problem_id, problem]));
      expect(kept).toEqual(kept.map(({ problem_id }) => now.get(problem_id)));
    }
  });

  it.each(SHORTCUTS)(
    "gives a pick of the %s program no profit: within 3 points of chance in all, 8 in each length of a bucket",
    (shortcut) => {
      const groups = Map.groupBy(set.lists, ({ bucket, candidates }) => `${bucket} ${candidates.length}`);
      const profits = [...groups.values(), set.lists].map((lists) => {
        const found = shortcutAccuracy(lists);
        return found === null ? Number.NaN : Math.abs(found.accuracy[shortcut] - found.chance);
      });
      expect(profits.at(-1)).toBeLessThan(0.03);
      expect(Math.max(...profits)).toBeLessThan(0.08);
    },
  );

  it("is built again, byte by byte, from its own candidates and seed", async () => {
    const out = join(folder.path, "again");
    const cache = join(folder.path, "cache.jsonl");
    const seed = String(set.manifest.seed);
    expect(await buildCommand.run(["--pool", SET, "--out", out, "--seed", seed, "--cache", cache])).toBe(0);
    for (const name of ["manifest.json", ...Object.keys(set.manifest.files)]) {
      expect(readFileSync(join(out, name)).equals(readFileSync(join(SET, name))), name).toBe(true);
    }
  });

  it("has pass rates that come out again when a seeded sample is run", async () => {
    const engine = createEmbeddedEngine(1);
    try {
      const meter = new Meter(engine, await PassRateCache.open());
      expect(await remeasuredFaults(meter, set, { count: 24, seed: 1 })).toEqual([]);
    } finally {
      await engine.close();
    }
  });
});
