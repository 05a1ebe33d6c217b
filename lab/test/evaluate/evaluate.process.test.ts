// The evaluator as a user runs it, over the real HTTP path: controls with known figures, a killed
// run, the reports.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { letterProbabilities } from "../../../gpu-backend/engines/simulator/noise.ts";
import { noiseParameters } from "../../../gpu-backend/engines/simulator/parameters.ts";
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { compareRuns } from "../../evaluate/compare.ts";
import { evaluateSet } from "../../evaluate/evaluate.ts";
import { readOptions } from "../../evaluate/flags.ts";
import type { CellSummary, Summary } from "../../evaluate/summary.ts";
import { SummarySchema } from "../../evaluate/summary.ts";
import type { SetList } from "../../testbed/format/set-format.ts";
import { writeFixtureSet } from "./fixture-set.ts";

// Each run starts a stack, so runs are looked at by several tests.

const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
let lists: SetList[];
beforeAll(() => {
  lists = writeFixtureSet(at("set"), { problems: 15, lists: 8, adversarial: 12 });
});
afterAll(() => folder.remove());

/** Runs the evaluator; `stopAfter` lists it is interrupted. */
async function evaluate(out: string, flags: readonly string[], stopAfter = Number.POSITIVE_INFINITY): Promise<Summary> {
  const options = readOptions(["--set", at("set"), "--split", "all", "--out", at(out), "--bootstrap", "500", ...flags]);
  if (options.mode !== "evaluate") throw new Error("not an evaluation");
  const stop = new AbortController();
  return evaluateSet(options.evaluate, {
    command: "test",
    api_key: null,
    signal: stop.signal,
    onNote: () => undefined,
    onProgress: ({ done }) => done >= stopAfter && stop.abort(new Error("interrupted")),
  });
}

const cellOf = ({ cells }: Summary, name: string) => cells.find(({ cell }) => cell === name) as CellSummary;

function expectInside({ ci95 }: CellSummary["list_acc"], truth: number): void {
  const [low, high] = ci95 as [number, number];
  expect(low).toBeLessThanOrEqual(truth);
  expect(high).toBeGreaterThanOrEqual(truth);
}

const QUIET = { thinking_median_tokens: 20, thinking_sigma: 0.1, loop_rate: 0 };
const simulator = (noise: object) => [
  "--control",
  "simulator",
  "--simulator",
  JSON.stringify({ model: "sim-7b", noise: { ...QUIET, ...noise } }),
];

const ORACLE = ["--control", "oracle", "--k", "1", "--adversarial", "all"];
/** A judge of the set's accuracy, and how it is asked. */
const GOOD = { position_bias: 0, parse_rate: 1, lapse_rate: 0.1, discrimination: 4 };
const ONCE = ["--formulations", "list_em,pair_em", "--k", "1", "--no-positions", "--adversarial", "none"];

it("--verifier is evaluated through a stack that the command starts, and named by its model", async () => {
  const server = await startSimulator({ model: "sim-7b", scale: "instant", noise: { ...QUIET, ...GOOD } });
  try {
    const summary = await evaluate("own", ["--verifier", `${server.url}/v1`, "--model", "sim-7b", ...ONCE]);
    expect(summary).toMatchObject({ name: "sim-7b", target: `verifier:${server.url}/v1 sim-7b`, complete: true });
    expect(cellOf(summary, "list_em@1").lists).toBe(lists.length);
  } finally {
    await server.close();
  }
});

describe("a control", () => {
  it("that guesses has ListAcc 32.08 % and tau-b 0 within their intervals", async () => {
    const summary = await evaluate("random", ["--control", "random", "--k", "1", "--adversarial", "none"]);
    expect(summary.set.chance_list_acc).toBeCloseTo(0.3208, 4);
    for (const cell of summary.cells) {
      expectInside(cell.list_acc, 0.3208);
      expectInside(cell.tau_b, 0);
    }
  });

  it("that knows the pass rates has ListAcc 100 % in every formulation and tau-b 1 in pairs, never flips, and is never misled", async () => {
    const summary = await evaluate("oracle", ORACLE);
    for (const cell of summary.cells) expect(cell.list_acc.mean, cell.cell).toBe(1);
    for (const name of ["pair_em@1", "pair_sc@1"]) {
      expect(cellOf(summary, name).tau_b).toMatchObject({ mean: 1, undefined: 0 });
    }
    expect(cellOf(summary, "pair_em@1+swap").position_flip_rate?.mean).toBe(0);
    expect(summary.adversarial?.rows.every(({ to_incorrect, compared }) => to_incorrect === 0 && compared > 0)).toBe(
      true,
    );
  });
});

describe("the simulator", () => {
  it("of a set accuracy gives that accuracy back within the interval", async () => {
    const summary = await evaluate("good", [...simulator(GOOD), ...ONCE, "--name", "good"]);
    const chances = lists.map(({ candidates }) => {
      const rates = candidates.map(({ pass_rate }) => pass_rate);
      return letterProbabilities(rates, { ...noiseParameters("sim-7b"), ...GOOD })[rates.indexOf(1)] as number;
    });
    const truth = chances.reduce((sum, chance) => sum + chance, 0) / lists.length;
    expect(truth).toBeGreaterThan(0.6);
    expectInside(cellOf(summary, "list_em@1").list_acc, truth);
  });

  it("that parses 43 % is flagged and excluded from the Pareto front, also among others", async () => {
    const low = await evaluate("low", [...simulator({ parse_rate: 0.43 }), ...ONCE, "--name", "low"]);
    expectInside(cellOf(low, "pair_em@1").parse_rate, 0.43);
    expect(cellOf(low, "pair_em@1").warnings).toContain("parse_rate_low");
    expect(readFileSync(join(at("low"), "report.md"), "utf8")).toContain("excluded from the Pareto front");
    compareRuns([at("low"), at("good")], at("both"), null);
    const table = readFileSync(join(at("both"), "compare.md"), "utf8");
    expect(table).toMatch(/\| low pair_em@1 \|.*parse rate below 80 % \| parse rate below 80 % \|/);
    expect(table).toMatch(/\| good list_em@1 \|.*on the Pareto front/);
  });
});

describe("a run that was stopped", () => {
  it("resumes and ends with the same figures as an uninterrupted run", async () => {
    const flags = [...simulator(GOOD), ...ONCE, "--name", "good"];
    await expect(evaluate("stopped", flags, 100)).rejects.toThrow("interrupted");
    const before = readFileSync(join(at("stopped"), "answers.jsonl"), "utf8");
    const resumed = await evaluate("stopped", flags);
    expect(readFileSync(join(at("stopped"), "answers.jsonl"), "utf8").startsWith(before)).toBe(true);
    // Its answers are there.
    const whole = await evaluate("good", flags);
    expect(resumed.complete).toBe(true);
    expect(resumed.cells).toEqual(whole.cells);
    expect(resumed.adversarial).toEqual(whole.adversarial);
  });
});

describe("points in another unit of cost", () => {
  it("have a separate table, charts and front", async () => {
    const point = { name: "elsewhere", cost: 1, cost_unit: "$ a step", list_acc: 0.5, parse_rate: 1 };
    writeFileSync(at("dollars.json"), JSON.stringify({ points: [point] }));
    await evaluate("oracle", [...ORACLE, "--points", at("dollars.json")]);
    const html = readFileSync(join(at("oracle"), "report.html"), "utf8");
    for (const unit of ["tokens a list", "$ a step"]) expect(html).toContain(`Cost (${unit}) against both metrics`);
  });
});

describe("runs that are compared", () => {
  it("compare every row with the first run's row of the same setting, in ListAcc and in tau-b", async () => {
    compareRuns([at("oracle"), at("random")], at("both"), null);
    const text = readFileSync(join(at("both"), "compare.md"), "utf8");
    const { differences } = JSON.parse(readFileSync(join(at("both"), "compare.json"), "utf8"));
    expect(differences[0]).toMatchObject({ asked_as: "random list_em@1", less: "oracle list_em@1" });
    expect(differences[0].list_acc.mean).toBeLessThan(0);
    expect(() => compareRuns([at("oracle"), at("nowhere")], at("both"), null)).toThrow(
      "nowhere contains no evaluation",
    );
    const rows = text.split("\n").filter((line) => line.startsWith("| random "));
    const told = rows.filter((line) => line.includes("| oracle ")).map((line) => line.split(" | ").slice(0, 2));
    const { cells } = SummarySchema.parse(JSON.parse(readFileSync(join(at("random"), "summary.json"), "utf8")));
    expect(cells.map(({ cell }) => cell)).toContain("pair_em@1+swap");
    const pairs = cells.map(({ cell }) => [`| random ${cell}`, `oracle ${cell}`]);
    expect(told.slice(0, pairs.length)).toEqual(pairs);
    // One letter names no order: tau-b is of the pairs.
    expect(told.slice(pairs.length).map(([row]) => row)).toEqual(expect.arrayContaining(["| random pair_em@1"]));
    expect(readFileSync(join(at("oracle"), "rows.csv"), "utf8")).toMatch(
      /^cell,list_acc,list_acc_low,.*\nlist_em@1,1,/,
    );
  });
});

describe("the reports", () => {
  it("have one layout, need no network and escape their contents", async () => {
    // The oracle's answers are there, so this only writes the reports again.
    const points = {
      points: [
        { name: "<script>alert(1)</script>", cost: 1, cost_unit: "tokens a list", list_acc: 0.5, parse_rate: 1 },
      ],
    };
    writeFileSync(at("points.json"), JSON.stringify(points));
    const summary = await evaluate("oracle", [...ORACLE, "--points", at("points.json")]);
    const json = JSON.parse(readFileSync(join(at("oracle"), "summary.json"), "utf8"));
    expect(SummarySchema.parse(json).points.length).toBe(summary.cells.length + 1);
    const html = readFileSync(join(at("oracle"), "report.html"), "utf8");
    expect(html).not.toMatch(/<script|(?:src|href)="(?!#)/);
    expect(html).toContain("&lt;script&gt;");
    const order = ["<table>", "<figure", "Comparisons</h2>", "<dl>", "sha256:"].map((text) => html.indexOf(text));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(html).not.toContain("$ per 1,000 lists");
    for (const by of ["length", "language", "difficulty", "generator"]) expect(html).toContain(`list_em@1 by ${by}`);
  });
});
