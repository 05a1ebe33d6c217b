// Guarantees that a set built from any pool is sound, and that each way of spoiling one is found.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { DEFAULT_FILTERS } from "../../testbed/sets/filters.ts";
import { Meter } from "../../testbed/sets/measuring.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";
import type { Pool } from "../../testbed/sets/pool.ts";
import { type BuildOptions, buildSet } from "../../testbed/sets/set-builder.ts";
import { contentFaults, fileFaults, readSetContent, type SetContent } from "../../testbed/sets/set-check.ts";
import { candidate, problem, textEngine } from "./pools.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const options: BuildOptions = {
  name: "tiny",
  seed: 3,
  shares: { train: 0.5, validation: 0, test: 0.5 },
  cell_sizes: { train: 2, validation: 2, test: 2 },
  level: true,
  per_source_max: 4,
  adversarial_per_length: 1,
  filters: DEFAULT_FILTERS,
};

/**
 * Eight problems in Java, which the engine of these tests does not run: tokens alone speak for
 * modified programs.
 */
const pool: Pool = {
  problems: Array.from({ length: 8 }, (_, i) => problem(`p${i}`)),
  candidates: Array.from({ length: 8 }, (_, i) =>
    [20, 2, 4, 8, 14, 16, 18].map((passed) =>
      candidate(`p${i}`, passed, {
        language: "java",
        candidate_id: `p${i}-${passed}`,
        code: `class Main {\n  static int f(int n) {\n    int total = n + ${passed};\n    return total;\n  }\n}\n`,
      }),
    ),
  ).flat(),
};

const meter = async () => new Meter(textEngine(), await PassRateCache.open());
const build = async (path: string, given: Pool = pool) =>
  buildSet(await meter(), given, options, { folder: path, command: "none", log: () => {} });

let sound: SetContent;
const spoiled = (change: (content: SetContent) => void): string[] => {
  const copy = structuredClone(sound);
  change(copy);
  return contentFaults(copy);
};
const first = <T>(items: readonly T[]): T => items[0] as T;

beforeAll(async () => {
  await build(folder.path);
  sound = await readSetContent(folder.path);
});

describe("a set", () => {
  it("is sound as built, with both buckets, two splits and adversarial lists", () => {
    expect(fileFaults(folder.path, sound.manifest)).toEqual([]);
    expect(contentFaults(sound)).toEqual([]);
    expect(new Set(sound.lists.map(({ split }) => split))).toEqual(new Set(["train", "test"]));
    expect(new Set(sound.adversarial.map(({ modification }) => modification)).size).toBe(12);
  });

  it("is the same, byte by byte, when built again from the same pool in another order", async () => {
    const again = join(folder.path, "again");
    const reversed = { problems: pool.problems.toReversed(), candidates: pool.candidates.toReversed() };
    const { files } = await build(again, reversed);
    expect(files).toEqual(sound.manifest.files);
    expect(readFileSync(join(again, "manifest.json"))).toEqual(readFileSync(join(folder.path, "manifest.json")));
  });

  it("cannot be built where no problem has a list", async () => {
    const poor = { problems: pool.problems, candidates: pool.candidates.filter(({ pass_rate }) => pass_rate === 1) };
    await expect(build(join(folder.path, "none"), poor)).rejects.toThrow("no list can be made");
  });
});

describe("checking finds", () => {
  it("a file that was changed, truncated or removed", () => {
    const path = join(folder.path, "lists.jsonl");
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.slice(before.indexOf("\n") + 1));
    const cut = fileFaults(folder.path, sound.manifest);
    writeFileSync(path, before);
    expect(cut).toEqual([expect.stringContaining("lists.jsonl has SHA-256"), expect.stringContaining("rows")]);
    const missing = { ...sound.manifest, files: { "gone.jsonl": { sha256: "0".repeat(64), rows: 1 } } };
    expect(fileFaults(folder.path, missing)).toEqual(["gone.jsonl is missing"]);
  });

  it("a pass rate outside the bucket", () => {
    const faults = spoiled(({ lists }) => {
      const hard = lists.find(({ bucket }) => bucket === "hard");
      if (hard) hard.bucket = "easy";
    });
    expect(faults).toContainEqual(expect.stringContaining("is outside easy [0, 0.5]"));
  });

  it("a problem or a statement in two splits", () => {
    const faults = spoiled(({ lists }) => {
      const { problem_id } = first(lists);
      const [, second] = lists.filter((list) => list.problem_id === problem_id);
      if (second) second.split = second.split === "train" ? "test" : "train";
    });
    expect(faults).toContainEqual(expect.stringMatching(/^problem p\d is in (train and test|test and train)$/));
    expect(faults).toContainEqual(expect.stringMatching(/^statement statement of p\d is in/));
  });

  it("a program or pass rate that candidates.jsonl does not have, and another prompt", () => {
    const unknown = spoiled(({ lists }) => {
      first(first(lists).candidates).code += " ";
    });
    expect(unknown).toContainEqual(expect.stringContaining("differs from candidates.jsonl"));
    const prompt = spoiled(({ lists }) => {
      first(lists).prompt = "Something else.";
    });
    expect(prompt).toContainEqual(expect.stringContaining("the prompt differs from problem"));
  });

  it("the same program twice in a list, up to trailing blanks", () => {
    const faults = spoiled(({ lists }) => {
      const [a, b] = first(lists).candidates;
      if (a && b) b.code = `${a.code}\n`;
    });
    expect(faults).toContainEqual(expect.stringContaining("two candidates are identical programs"));
  });

  it("a duplicated list, a bucket without lists, and wrong cell counts", () => {
    expect(spoiled(({ lists }) => lists.push(first(lists)))).toEqual(
      expect.arrayContaining([
        expect.stringContaining("is duplicated"),
        "the manifest's cell counts differ from the lists",
      ]),
    );
    const easyOnly = spoiled((content) => {
      content.lists = content.lists.filter(({ bucket }) => bucket === "easy");
    });
    expect(easyOnly).toContain("no list is hard");
  });

  it("an adversarial list whose other programs changed, whose target did not, or that names the wrong target", () => {
    const changed = spoiled(({ adversarial }) => {
      const positive = adversarial.find(({ target_index }) => target_index === null);
      const right = positive?.candidates.find(({ pass_rate }) => pass_rate === 1);
      if (right) right.code = "class Other {}";
    });
    expect(changed).toContainEqual(expect.stringContaining("differs from its base"));
    const same = spoiled(({ adversarial, lists }) => {
      const row = first(adversarial);
      row.candidates = structuredClone(lists.find(({ list_id }) => list_id === row.base_list_id)?.candidates ?? []);
    });
    expect(same).toContainEqual(expect.stringContaining("is not modified"));
    const target = spoiled(({ adversarial }) => {
      first(adversarial).target_index = 9;
    });
    expect(target).toContainEqual(expect.stringContaining("kept or target_index is wrong"));
  });
});
