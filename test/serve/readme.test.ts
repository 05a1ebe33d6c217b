// The README of the recipes: its tables are held to the scripts, the schemas' releases and the cost
// sheet.
import { describe, expect, it } from "vitest";
import { runCostSheet } from "../../gpu-backend/serve/cost.ts";
import { flagsOf, launch } from "./launching.ts";
import { FLAGS, RAY_VERSION, textOf } from "./records.ts";

const README = textOf("gpu-backend/serve/README.md");

/** The cells of the rows of the table below a heading. */
function tableOf(heading: string): string[][] {
  const rows =
    README.split(`\n## ${heading}\n`)[1]
      ?.split("\n## ")[0]
      ?.match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

const figure = (cell: string | undefined) => Number((cell ?? "").replaceAll(",", ""));

describe("the README", () => {
  it("names the pinned releases", () => {
    for (const name of [
      `vLLM ${FLAGS.vllm.version}`,
      `SGLang ${FLAGS.sglang.version}`,
      `Ray ${RAY_VERSION}`,
      `vLLM ${FLAGS.rayVllm.version}`,
      `Node ${JSON.parse(textOf("package.json")).devDependencies.node}`,
    ])
      expect(README).toContain(name);
  });

  it.each([
    ["vllm.sh", 0],
    ["sglang.sh", 1],
  ])("explains every flag that %s sets, and none that it does not", async (script, column) => {
    const env = { TENSOR_PARALLEL: "2", DATA_PARALLEL: "2", MODEL_REVISION: "abc", ENGINE_API_KEY: "k" };
    const set = [...flagsOf((await launch(script, ["14b"], env)).argv).keys()].sort();
    const explained = tableOf("The flags, and why").flatMap((row) => row[column]?.match(/--[\w-]+/g) ?? []);
    expect(explained.sort()).toEqual(set);
    for (const row of tableOf("The flags, and why")) expect((row[2] ?? "").length).toBeGreaterThan(10);
  });

  it("lists every setting that the scripts read, with the default they have", async () => {
    const read = [...textOf("gpu-backend/serve/launch/sizes.sh").matchAll(/^([A-Z_]+)=\$\{\1:-([^}]*)\}/gm)];
    const listed = tableOf("Start an engine");
    const rowOf = (name: string) => listed.find((row) => row[0]?.includes(`\`${name}\``));
    expect(read.length).toBeGreaterThan(10);
    for (const [, name, standard] of read) {
      const row = rowOf(name as string);
      expect(row, name).toBeDefined();
      if (standard !== "" && !standard?.startsWith("$")) expect(row?.[1]).toContain(standard);
    }
    expect(listed.flatMap((row) => row[0]?.match(/[A-Z_]{4,}/g) ?? []).sort()).toEqual(read.map((m) => m[1]).sort());
  });

  it("calculates what fits by the formula it states", () => {
    const rows = tableOf("Sizes");
    expect(rows).toHaveLength(3);
    const GIB = 1024 ** 3;
    for (const [, layers, heads, bytes, weights, ...tokens] of rows) {
      expect(figure(bytes)).toBe(4 * figure(layers) * figure(heads) * 128);
      [44.4, 79.6, 139.8].forEach((card, i) => {
        const room = ((0.9 * card - figure(weights) - 4) * GIB) / figure(bytes);
        expect(figure(tokens[i])).toBe(Math.round(room / 1000) * 1000);
      });
    }
  });

  it("prices rewards as the cost sheet does", () => {
    const rows = tableOf("Cost of a reward");
    expect(rows.length).toBeGreaterThan(5);
    for (const [flags, generations, dollars] of rows) {
      const { status, text } = runCostSheet([...(flags as string).slice(1, -1).split(" "), "--price", "3.5", "--json"]);
      expect(status, text).toBe(0);
      const cost = JSON.parse(text);
      expect([cost.generations_per_group, cost.dollars_per_1000_rewards.toFixed(3)]).toEqual([
        figure(generations),
        dollars,
      ]);
    }
  });
});
