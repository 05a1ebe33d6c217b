// Guarantees that the decisions study finds each fault of its simulator, respects its budget, and sends no
// request twice.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type DecisionFaults, startDecisionSimulator } from "../../../scripts/stack/decision-simulator.ts";
import { DECISION_API_NAMES, DECISION_APIS } from "../../../src/core/wire/decision-apis.ts";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { readGroup, type StudyGroup } from "../../decisions/arms.ts";
import { Asker, BudgetSpent } from "../../decisions/asker.ts";
import { type Measure, measuresOf } from "../../decisions/measures.ts";
import { decisionsPage } from "../../decisions/page.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let made = 0;

const strengthOf = (text: string) => Number(/answer (\d+)/.exec(text)?.[1] ?? 0) / 4;
const GROUPS: StudyGroup[] = [
  [1, 5, 3, 8],
  [2, 9, 4],
  [7, 6],
].map((numbers, g) => ({
  ...{ name: `g${g}`, prompt: `Task ${g}: which number is larger?`, truth: numbers },
  texts: numbers.map((number) => `answer ${number}`),
}));

async function studied(faults: DecisionFaults, { api = "systemone", budget_usd = 5, file = `${made++}.jsonl` } = {}) {
  const simulator = await startDecisionSimulator(strengthOf, "simulated-1", faults);
  const of = DECISION_APIS[api as keyof typeof DECISION_APIS];
  const asker = new Asker({
    ...{ api: of, url: `${simulator.url}${"bare" in of ? "/accounts/1/ai" : "/v1"}`, headers: {}, model: "m" },
    ...{ file: `${folder.path}/${file}`, budget_usd, usd_per_million: 1_000, backoff_ms: 0 },
  });
  try {
    const read = [];
    for (const group of GROUPS) read.push(await readGroup(asker, group));
    const measures = measuresOf(read, 1_000);
    const figure = (name: string) => (measures.find((measure) => measure.name === name) as Measure).value as number;
    return { read, measures, figure, asker, asked: simulator.states.length };
  } finally {
    await simulator.close();
  }
}

describe("the decisions study", () => {
  it.each(DECISION_API_NAMES)("finds nothing if the model has no fault, with %s", async (api) => {
    const { figure, asker, read } = await studied({}, { api });
    expect(figure("tau-b, one state")).toBe(1);
    expect(figure("tau-b, pairs alone")).toBe(1);
    expect(figure("right pairs, one state")).toBe(1);
    expect(figure("right choice, one question of all")).toBe(1);
    for (const name of [
      "difference: one state and alone",
      "difference: all questions and one",
      "difference: repeated request",
    ])
      expect(figure(name)).toBeCloseTo(0, 9);
    for (const name of ["position flips, one state", "cycles", "checks below 0.8"]) expect(figure(name)).toBe(0);
    expect(figure("tokens per group, one state")).toBeLessThan(figure("tokens per group, pairs alone"));
    expect([[...asker.models], read.flatMap(({ faults }) => faults)]).toEqual([["simulated-1"], []]);
  });

  it("finds a position bias, which cancels over both orders", async () => {
    const { figure } = await studied({ place_bias: 1.5 });
    expect(figure("position bias, one state")).toBeGreaterThan(0.6);
    expect(figure("position flips, one state")).toBeGreaterThan(0.2);
    expect(figure("tau-b, one state")).toBe(1);
  });

  it("finds the influence of other questions in a state", async () => {
    const { figure } = await studied({ pull: 1 });
    expect(figure("difference: all questions and one")).toBeGreaterThan(0.05);
    expect(figure("difference: repeated request")).toBe(0);
  });

  it("finds truncated states", async () => {
    expect((await studied({ reads: 0.6 })).figure("checks below 0.8")).toBe(1);
  });

  it("reports refusals and faults, and measures without them", async () => {
    const { read, figure, measures } = await studied({
      status: (state) => (state.includes("Task 1") ? { status: 400, body: { error: "no" } } : null),
    });
    expect(new Set(read.flatMap(({ faults }) => faults))).toEqual(new Set(["400"]));
    expect(figure("tau-b, one state")).toBe(1);
    expect(measures.find(({ name }) => name === "tau-b, one state")?.count).toBe(2);
  });

  it("sends no request twice, and resumes after the budget ended it", async () => {
    const file = "resumed.jsonl";
    await expect(studied({}, { file, budget_usd: 1.5 })).rejects.toThrow(BudgetSpent);
    const lines = () => readFileSync(`${folder.path}/${file}`, "utf8").trim().split("\n").length;
    const before = lines();
    expect(before).toBeGreaterThan(3);
    const whole = await studied({}, { budget_usd: 1_000 });
    const rest = await studied({}, { file, budget_usd: 1_000 });
    expect([before + rest.asked, rest.asker.calls]).toEqual([whole.asked, whole.asker.calls]);
    expect(rest.measures).toEqual(whole.measures);
    expect((await studied({}, { file, budget_usd: 1_000 })).asked).toBe(0);
  });

  it("writes a page that says when only a simulator answered", () => {
    const facts = {
      ...{ command: "npm run lab -- decisions", judge: "a simulator", simulated: true, api: "systemone", models: [] },
      ...{ date: "today", groups: 1, of_groups: 2, calls: 3, tokens: 4, dollars: 0.5, faults: { "400": 2 } },
    };
    const page = decisionsPage(facts, [{ name: "tau-b", value: null, count: 0, says: "order" }]);
    expect(page).toContain("**No decision model was measured**");
    expect(page).toContain("| tau-b | not measured | 0 | order |");
    expect(page).toContain("2 x 400");
    expect(page).toContain("run it again with a larger budget");
    expect(decisionsPage({ ...facts, simulated: false }, [])).not.toContain("No decision model");
  });
});
