// Guarantees that the trainers' table comes from real clients, and that none of its cells is wrong, with
// times scaled for a test.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import type { WorkerModules } from "../../../scripts/stack/worker-modules.ts";
import { epochLater, groupsOf, rewardsOf, withoutOne } from "../../trainers/groups.ts";
import { judged, runScenarios, type Scenario } from "../../trainers/scenarios.ts";
import { tableIn, tableOf, withTable } from "../../trainers/table.ts";
import type { Tool } from "../../trainers/tool.ts";
import { TOOLS } from "../../trainers/tools.ts";

const named = (...names: string[]) => TOOLS.filter(({ name }) => names.includes(name));
const options = { scale: 0.2, step_groups: 8, note: () => undefined };
let script: WorkerModules;

beforeAll(async () => {
  script = await bundleWorker();
});

it("no cell is wrong: quiet path, outages, validation and a second epoch", async () => {
  const tools = named(
    "OpenRLHF",
    "slime",
    "miles (remote_rm)",
    "eval-protocol",
    "FAI-RL",
    "cohere (rerank)",
    "openai (judge)",
  );
  const scenarios: Scenario[] = ["quiet", "outage2", "outage15", "outage60", "validation", "epoch"];
  const cells = await runScenarios({ ...options, script, tools, scenarios });
  expect(Object.fromEntries(cells)).toEqual(
    Object.fromEntries(
      tools.map(({ name }) => {
        // Its evaluation of one sample has no group.
        const alone = name === "eval-protocol" ? { validation: "0, flagged" } : {};
        return [name, { ...Object.fromEntries(scenarios.map((one) => [one, "right"])), ...alone }];
      }),
    ),
  );
});

it("no cell is wrong: a verifier that hangs, a rollout of 600 kB, one that is late, two processes", async () => {
  const tools = named("OpenRLHF", "slime", "FAI-RL", "cohere (rerank)", "openai (judge)");
  const scenarios: Scenario[] = ["hang", "long", "late", "processes"];
  const cells = await runScenarios({ ...options, script, tools, scenarios });
  const apart = ({ comes }: Tool) => (comes === "any process" ? "right" : "whole groups");
  expect(Object.fromEntries(cells)).toEqual(
    Object.fromEntries(
      tools.map((tool) => [tool.name, { hang: "right", long: "right", late: apart(tool), processes: apart(tool) }]),
    ),
  );
});

it("no cell is wrong: Kritai ends while it judges, two groups or a step of eight", async () => {
  const tools = named("slime", "FAI-RL", "cohere (rerank)", "openai (judge)");
  const cells = await runScenarios({ ...options, script, tools, scenarios: ["restart", "step"] });
  expect(Object.fromEntries(cells)).toEqual(
    Object.fromEntries(tools.map(({ name }) => [name, { restart: "right", step: "right" }])),
  );
});

it("a client without retries fails quickly with its own typed error", async () => {
  const tools = named("miles (remote_rm)");
  const cells = await runScenarios({ ...options, script, tools, scenarios: ["restart"] });
  expect(Object.fromEntries(cells)).toEqual({
    "miles (remote_rm)": { restart: "refused: aiohttp.ClientConnectionError" },
  });
});

it("the fetch that outlives a restart is the one that the docs give", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const code = read("lab/trainers/patient-fetch.ts");
  expect(read("clients/typescript/README.md")).toContain(code.slice(code.indexOf("export const patientFetch")).trim());
});

describe("a cell", () => {
  const [slime] = named("slime") as [Tool];
  const groups = groupsOf("p");

  it("is right only if every reward belongs to its group, its samples and this epoch", () => {
    expect(judged(slime, groups, groups.map(rewardsOf))).toBe("right");
    expect(judged(slime, withoutOne(groups), groups.map(rewardsOf))).toMatch(
      /^wrong: of 14 rewards 0 lost, \d+ others$/,
    );
    expect(judged(slime, epochLater(groups), groups.map(rewardsOf))).toMatch(/^wrong/);
    const lost = groups.map((group) => rewardsOf(group).map((reward, i) => (i === 3 ? null : reward)));
    expect(judged(slime, groups, lost)).toBe("wrong: of 16 rewards 2 lost, 0 others");
  });

  it("is in its tool's row, between the page's markers and nowhere else", () => {
    const page =
      "before\n<!-- npm run lab -- trainers: begins -->\nold\n<!-- npm run lab -- trainers: ends -->\nafter\n";
    const cells = new Map([["slime", { quiet: "right" }]]);
    const table = tableOf([slime], cells, { date: "2026-11-22", commit: "abc", scale: 0.1 });
    expect(table).toContain("| slime | stand-in | right | not run |");
    expect(table).toContain("2026-11-22, abc, scale 0.1 |");
    const later = new Map([["slime", { outage2: "right" }]]);
    const second = tableOf(
      [slime],
      later,
      { date: "2026-11-23", commit: "def", scale: 1 },
      tableIn(withTable(page, table)),
    );
    expect(second).toContain("| slime | stand-in | right | right | not run |");
    expect(second).toContain("| 2026-11-22, abc, scale 0.1; in part 2026-11-23, def |");
    const without = table.replace(" quiet path |", "").replace("| slime | stand-in | right |", "| slime | stand-in |");
    expect(tableOf([slime], new Map(), { date: "", commit: "", scale: 1 }, without)).toContain(
      "| slime | stand-in | not run | not run |",
    );
    const written = withTable(page, table);
    expect(written).toBe(page.replace("\nold\n", `\n\n${table}\n\n`));
    expect(withTable(written, table)).toBe(written);
    expect(() => withTable("no markers", table)).toThrow("begins");
  });
});
