// The warning step_went_back: a run that begins again under the same id.
import { expect, test } from "vitest";
import { LastSteps } from "../../src/scoring/last-steps.ts";
import { setUp, twoRollouts } from "../api/routes/harness.ts";

const codesOf = (steps: LastSteps, order: readonly number[], run_id = "r") =>
  order.flatMap((step) => (steps.note({ owner: "", run_id }, step).length === 0 ? [] : [step]));

test("a request whose step goes back is warned and logged with the warning, once", async () => {
  const { post, runLog } = setUp();
  const warned = async (step: number) => {
    const reply = await post("/v1/rewards", { ...twoRollouts(), run_id: "r", step });
    const { warnings } = (await reply.json()) as { warnings: string[] };
    return warnings.filter((text) => text.startsWith("step_went_back"));
  };
  const replies: string[][] = [];
  for (const step of [0, 1, 2, 3, 12, 0, 0, 1]) replies.push(await warned(step));
  expect(replies.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0, 1, 0, 0]);
  expect(replies[5]?.[0]).toBe(
    "step_went_back: The run reached step 12 before this request with step 0, and its charts mix both passes. Give each training a different run_id. After a resume from a checkpoint, ignore this warning.",
  );
  const [row] = await runLog.steps({ owner: "", run_id: "r" }, { after: null, from: null, to: null, limit: 1 });
  expect(row?.warnings).toContain("step_went_back");
});

test.each([
  ["steps in flight", [0, 1, 2, 1, 0, 9, 1, 10, 2, 3], []],
  ["a resume", [100, 120, 110, 111, 112], [110]],
  ["the first step again after three", [0, 1, 2, 3, 0, 1], [0]],
  ["a retry of the last step", [4, 4, 5, 4, 5], []],
] as const)("of %s", (_, order, warned) => {
  expect(codesOf(new LastSteps(), order)).toEqual(warned);
});

test("runs are told apart by id and by owner, and the oldest is forgotten", () => {
  const steps = new LastSteps();
  expect(codesOf(steps, [30])).toEqual([]);
  expect(codesOf(steps, [0], "other")).toEqual([]);
  expect(steps.note({ owner: "a", run_id: "r" }, 0)).toEqual([]);
  expect(codesOf(steps, [0])).toEqual([0]);
  expect(codesOf(steps, [30])).toEqual([]);
  for (let i = 0; i < 4096; i++) codesOf(steps, [0], `filler-${i}`);
  expect(codesOf(steps, [0])).toEqual([]);
});
