// Guarantees that the committed pass rates are what the sandbox measures, on two problems; the script's
// --check does all.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { PASS_RATES_FILE, type PassRates } from "../../problems/groups.ts";
import { measureProblem } from "../../problems/measure.ts";
import { loadProblem } from "../../problems/problem.ts";

const committed: PassRates = JSON.parse(readFileSync(PASS_RATES_FILE, "utf8"));
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1 });
});
afterAll(() => sandbox.close());

test.each(["charging-post", "podium"])("%s is measured as committed", async (id) => {
  expect(await measureProblem(sandbox, await loadProblem(id))).toEqual(committed.problems[id]);
});

test("a rollout whose program is wrong everywhere is measured as 0, with the reasons", async () => {
  const problem = await loadProblem("squeeze-runs");
  const rollouts = [
    {
      file: "01.txt",
      finish_reason: "stop" as const,
      note: "",
      text: "```python\ndef squeeze(text):\n    return 1\n```",
    },
    { file: "02.txt", finish_reason: "stop" as const, note: "", text: "```python\ndef squeeze(text):\n    1 / 0\n```" },
  ];
  const { rollouts: measured } = await measureProblem(sandbox, { ...problem, rollouts });
  expect(measured.map(({ pass_rate, failures }) => ({ pass_rate, failures }))).toEqual([
    { pass_rate: 0, failures: { wrong: problem.hidden.length } },
    { pass_rate: 0, failures: { error: problem.hidden.length } },
  ]);
});
