// The guarantees of reports on a set and on a pool: likeness, samplers, tests, and the sets that strength and
// a lot make.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { embed } from "../../testbed/engines/embeddings.ts";
import { DEFAULT_FILTERS, problemFault } from "../../testbed/sets/filters.ts";
import { cosine, listFigures } from "../../testbed/sets/list-report.ts";
import { Meter } from "../../testbed/sets/measuring.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";
import type { Pool } from "../../testbed/sets/pool.ts";
import { type BuildOptions, buildSet } from "../../testbed/sets/set-builder.ts";
import { contentFaults, readSetContent } from "../../testbed/sets/set-check.ts";
import { suiteFigures, suitesOf } from "../../testbed/sets/suites.ts";
import { candidate, problem, textEngine } from "./pools.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const options: BuildOptions = {
  name: "tiny",
  seed: 3,
  shares: { train: 0.5, validation: 0, test: 0.5 },
  cell_sizes: { train: 4, validation: 4, test: 4 },
  level: true,
  per_source_max: 4,
  adversarial_per_length: 0,
  filters: DEFAULT_FILTERS,
};
const code = (passed: number, by: string) =>
  `class Main {\n  static int f(int n) {\n    int ${by} = n + ${passed};\n    return ${by};\n  }\n}\n`;
const pool: Pool = {
  problems: Array.from({ length: 12 }, (_, i) => problem(`p${i}`)),
  candidates: Array.from({ length: 12 }, (_, i) =>
    ["small", "large"].flatMap((generator) =>
      [20, 2, 4, 8, 14, 16, 18].map((passed) =>
        candidate(`p${i}`, passed, {
          language: "java",
          generator,
          candidate_id: `p${i}-${generator}-${passed}`,
          code: code(passed, generator),
          ...(generator === "large" && { model: "large-32b", temperature: 0.8 }),
        }),
      ),
    ),
  ).flat(),
};
async function built(name: string, more: Partial<BuildOptions>) {
  const meter = new Meter(textEngine(), await PassRateCache.open());
  const path = `${folder.path}/${name}`;
  await buildSet(meter, pool, { ...options, ...more }, { folder: path, command: "none", log: () => {} });
  return readSetContent(path);
}

describe("strong generators", () => {
  it("are only in the test split, and the manifest records model and temperature", async () => {
    const set = await built("strong", { strong: ["large"], likeness: true });
    expect(contentFaults(set)).toEqual([]);
    const of = (strength: string) =>
      new Set(set.lists.filter((list) => list.strength === strength).map((list) => list.split));
    expect(of("strong")).toEqual(new Set(["test"]));
    expect(of("weak")).toEqual(new Set(["train", "test"]));
    for (const { generator, strength } of set.lists) expect(strength).toBe(generator === "large" ? "strong" : "weak");
    expect(set.manifest.samplers).toEqual([
      { generator: "large", model: "large-32b", temperature: 0.8, candidates: 84 },
      { generator: "small", model: null, temperature: null, candidates: 84 },
    ]);
    expect(set.manifest.likeness?.map(({ split, bucket }) => `${split} ${bucket}`)).toContain("test hard");
    expect(readFileSync(`${folder.path}/strong/candidates.jsonl`, "utf8")).toContain('"temperature":0.8');
  });
});

describe("a random side", () => {
  it("is the right program in half of the lists, under all of the kept modifications, and is checked", async () => {
    const set = await built("lots", { random_side_per_length: 40, cell_sizes: { train: 0, validation: 0, test: 40 } });
    expect(contentFaults(set)).toEqual([]);
    const rows = set.adversarial;
    expect(rows.length).toBeGreaterThan(60);
    const right = rows.filter(({ side }) => side === "right").length;
    expect(right / rows.length).toBeGreaterThan(0.35);
    expect(right / rows.length).toBeLessThan(0.65);
    expect(new Set(rows.map(({ drawn }) => drawn)).size).toBe(6);
    for (const { side, target_index, candidates } of rows)
      expect(side === "right" ? candidates[target_index ?? -1]?.pass_rate : target_index).toBe(
        side === "right" ? 1 : null,
      );
    const spoiled = structuredClone(set);
    const [first] = spoiled.adversarial;
    if (first !== undefined) first.side = first.side === "right" ? "wrong" : "right";
    expect(contentFaults(spoiled).length).toBeGreaterThan(0);
  });
});

describe("doubtful tests", () => {
  const candidates = [candidate("p", 20), candidate("p", 7), candidate("p", 20, { declared: "wrong", code: "x" })];

  it("are excluded by their rejection rate, measured or declared, and by their time limit", () => {
    const fault = (fields: object, more: object) =>
      problemFault(problem("p", fields), candidates, { ...DEFAULT_FILTERS, ...more });
    expect(fault({}, {})).toBeNull();
    expect(fault({}, { declared_wrong_min: 0.9 })).toBe("too many programs declared wrong pass");
    expect(fault({ true_positive_rate: 0.7 }, {})).toBe("too many programs declared right fail");
    expect(fault({ true_negative_rate: 0.95 }, {})).toBeNull();
    expect(fault({ time_limit_ms: 5_000 }, { time_limit_ms_max: 2_000 })).toBe("time limit over 2000 ms");
  });

  it("are found by surviving mutants and rejection rates", () => {
    const mutants = [
      candidate("p", 20, { mutation: "a", code: "m1" }),
      candidate("p", 12, { mutation: "b", code: "m2" }),
      candidate("p", 3, { mutation: "c", code: "m3" }),
    ];
    const told = [
      candidate("p", 20, { declared: "right", code: "r" }),
      candidate("p", 4, { declared: "wrong", code: "w" }),
    ];
    const suites = suitesOf({
      problems: [problem("p"), problem("q")],
      candidates: [...candidates, ...mutants, ...told],
    });
    expect(suites[0]?.survivors.map(({ mutation }) => mutation)).toEqual(["a"]);
    expect(suiteFigures(suites)).toEqual({
      problems: 2,
      mutants: 3,
      killed: 1 - 1 / 3,
      tpr: 1,
      tnr: 0.5,
      reject_all: 0,
    });
  });
});

describe("likeness", () => {
  const list = {
    list_id: "l",
    split: "test",
    bucket: "easy",
    problem_id: "p",
    language: "python",
    generator: "people",
    prompt: "p",
    candidates: [
      { candidate_id: "a", code: "x = 1", pass_rate: 1 },
      { candidate_id: "b", code: "x = 2", pass_rate: 0.5 },
      { candidate_id: "c", code: "y = 22", pass_rate: 0.25 },
    ],
  } as const;

  it("is the mean over pairs, of tokens and of served embeddings", async () => {
    const vectors: Record<string, number[]> = { "x = 1": [1, 0], "x = 2": [1, 0], "y = 22": [0, 2] };
    const server = createServer(async (request, response) => {
      const { input, model } = JSON.parse((await request.toArray()).join("")) as { input: string[]; model: string };
      // Out of order, as a server may answer.
      const data = input.map((text, index) => ({ index, embedding: vectors[text] })).reverse();
      response.setHeader("content-type", "application/json").end(JSON.stringify(model === "m" ? { data } : {}));
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const texts = list.candidates.map((one) => one.code);
    const found = await embed(texts, { url, model: "m", api_key: null });
    expect(found).toEqual([
      [1, 0],
      [1, 0],
      [0, 2],
    ]);
    await expect(embed(texts, { url, model: "n", api_key: null })).rejects.toThrow("returned no embedding of text 0");
    server.closeAllConnections();
    server.close();
    const byId = new Map(list.candidates.map(({ candidate_id }, i) => [candidate_id as string, found[i] as number[]]));
    const [figures] = listFigures([structuredClone(list) as never], (id) => byId.get(id) as number[]);
    expect(figures?.token_similarity).toBeCloseTo((2 / 3 + 1 / 3 + 1 / 3) / 3);
    expect(figures?.right_to_wrong).toBeCloseTo((2 / 3 + 1 / 3) / 2);
    expect(figures).toMatchObject({ cosine: 1 / 3, characters_right: 5, characters_wrong: 5.5 });
    expect(cosine([0, 0], [1, 1])).toBe(0);
  });
});
