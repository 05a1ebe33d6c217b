// One candidate graded several times: each way of making one number of the answers. And the control without
// questions.
import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

/** On 1 to 5: 0, 1, 0.5 and 0.75 of the scale. */
const GRADES = ["1", "5", "3", "4"];

function judged(...grades: string[]) {
  let asked = 0;
  const verifier = fakeVerifier(() => `**Result:** ${grades[asked++ % grades.length]}`);
  return { ...setUp({ verifier }), asked: () => asked };
}

const grade = (more: object, samples = GRADES.length) => ({
  kind: "grade",
  judge: { preset: "selene", samples },
  ...more,
});
const request = (signals: object) => ({
  spec: { signals, reward: Object.keys(signals)[0], candidate: { extract: "whole" } },
  groups: [{ prompt: "p", rollouts: [{ text: "one answer" }] }],
});
const repliedTo = async (setup: ReturnType<typeof judged>, signals: object) =>
  (await (await setup.post("/v1/rewards", request(signals))).json()) as RewardsReply;

// By numpy 2.3: mean, median, min, quantile([0, 1, 0.5, 0.75], 0.25), std.
test.each([
  [{}, 0.5625],
  [{ reduce: "median" }, 0.625],
  [{ reduce: "min" }, 0],
  [{ reduce: "quantile", quantile: 0.25 }, 0.375],
  [{ reduce: "std" }, 0.369754986443726],
])("%j of four samples", async (more, value) => {
  const reply = await repliedTo(judged(...GRADES), { q: grade(more) });
  expect(reply.rewards[0]?.[0]).toBeCloseTo(value, 14);
  expect(reply.reward_range).toEqual([0, "reduce" in more && more.reduce === "std" ? 0.5 : 1]);
});

test("a spread is a component that an expression may abstain by", async () => {
  const signals = { q: grade({}), unsure: grade({ reduce: "std" }) };
  const body = request(signals);
  const spec = { ...body.spec, reward: "if(unsure > 0.3, abstain(), q)" };
  const post = async (...grades: string[]) =>
    (await (await judged(...grades).post("/v1/rewards", { ...body, spec })).json()) as RewardsReply;
  expect((await post(...GRADES)).groups[0]?.rollouts[0]).toMatchObject({ reward: null, error: "abstained" });
  expect((await post("4")).groups[0]?.rollouts[0]).toMatchObject({ reward: 0.75, components: { unsure: 0 } });
});

test("how far one readable answer lies from itself is not known", async () => {
  const setup = judged("4", "of no scale", "of no scale", "of no scale");
  const reply = await repliedTo(setup, { unsure: grade({ reduce: "std" }), q: grade({}) });
  expect(reply.groups[0]?.rollouts[0]).toMatchObject({
    reward: null,
    error: expect.any(String),
    components: { q: 0.75 },
  });
});

test.each([
  [{ reduce: "quantile" }, "spec.signals.q.quantile"],
  [{ quantile: 0.5 }, "spec.signals.q.quantile"],
  [{ reduce: "quantile", quantile: 1.5 }, "spec.signals.q.quantile"],
  [{ reduce: "std", judge: { preset: "selene" } }, "spec.signals.q.judge.samples"],
  [{ reduce: "max" }, "spec.signals.q.reduce"],
])("%j is refused by its field", async (more, path) => {
  const problem = await problemOf(await judged("1").post("/v1/rewards", request({ q: grade(more) })));
  expect(problem.errors?.map((fault) => fault.path)).toEqual([path]);
});

test("the control draws by seed, prompt and text, whatever the order, and asks nobody", async () => {
  const setup = judged();
  const spec = (seed?: number) => ({ signals: { control: { kind: "random", seed } }, reward: "control" });
  const texts = Array.from({ length: 64 }, (_, i) => ({ text: `answer ${i}` }));
  const rewards = async (rollouts: object[], seed?: number, prompt = "p") => {
    const sent = await setup.post("/v1/rewards", { spec: spec(seed), groups: [{ prompt, rollouts }] });
    return ((await sent.json()) as RewardsReply).rewards[0] as number[];
  };
  const first = await rewards(texts);
  expect(await rewards(texts.toReversed())).toEqual(first.toReversed());
  expect(new Set(first).size).toBe(64);
  expect(Math.min(...first)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...first)).toBeLessThan(1);
  // Four standard errors of the mean of 64 uniform numbers.
  expect(Math.abs(first.reduce((sum, one) => sum + one, 0) / 64 - 0.5)).toBeLessThan(4 / Math.sqrt(12 * 64));
  for (const others of [await rewards(texts, 1), await rewards(texts, 0, "q")]) {
    expect(others.filter((one, i) => one === first[i])).toEqual([]);
  }
  expect(await rewards([{ text: "a" }, { text: "a" }])).toEqual(Array(2).fill(expect.any(Number)));
  expect(setup.asked()).toBe(0);
});
