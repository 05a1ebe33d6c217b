// Rewards of verdict texts in the TypeScript client, which no server is asked for: held to the
// published code's vectors and to cases by hand. The Python client reads the same.
import { expect, it } from "vitest";
import * as formulas from "../../clients/typescript/src/formulas.ts";
import cases from "../vectors/formulas.json" with { type: "json" };
import vectors from "../vectors/verdicts.json" with { type: "json" };

type Formula = (...args: unknown[]) => formulas.FormulaReward;
const FORMULAS: Readonly<Record<string, Formula>> = {
  judgelrm: formulas.judgelrm as Formula,
  patch_multiselect: formulas.patchMultiselect as Formula,
  pair_labels: formulas.pairLabels as Formula,
};

it.each(cases)("$why", ({ formula, args, content, format }) => {
  const found = (FORMULAS[formula] as Formula)(...args);
  expect(found.content).toBeCloseTo(content, 12);
  expect(found.format).toBe(format);
});

it.each(vectors.judgelrm_original.map((v, i) => [i, v] as const))("JudgeLRM's own case %i", (_, v) => {
  const text = `<think>t</think>${(v.scores ?? []).map((score) => `<answer>${score}</answer>`).join("")}`;
  const [first = 0, second = 0] = v.expected.map((score) => score / 10);
  const found = formulas.judgelrm(text, [first, second], v.response_length, v.max_response_length);
  expect(found.format).toBe(v.format);
  expect(found.content + found.format).toBeCloseTo(v.total, 12);
});
