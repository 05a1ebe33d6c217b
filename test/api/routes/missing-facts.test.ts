// Groups that lack a fact of a signal: they have no value of it, their neighbours keep theirs, and a
// request of which no group has it is refused.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { problemOf, setUp } from "./harness.ts";

const boxed = (...answers: string[]) => answers.map((answer) => ({ text: `\\boxed{${answer}}` }));
const tested = (...statuses: string[]) => statuses.map((status) => ({ text: "x", tests: [{ status }] }));
const RIGHT = { right: { kind: "reference" } };
const PASSES = { tests: { kind: "tests" } };
const maths = (facts: object = { reference: "42" }) => ({ prompt: "a", ...facts, rollouts: boxed("42", "41") });
const code = { prompt: "b", rollouts: tested("pass", "fail") };

async function rewarded(signals: object, groups: object[], more: object = {}) {
  const { post } = setUp();
  const response = await post("/v1/rewards", { spec: { signals, ...more }, groups });
  const reply = (await response.json()) as RewardsReply & { code?: string };
  return { status: response.status, code: reply.code, reply, rewards: reply.rewards };
}

describe("a group without its reference", () => {
  test.each([
    ["that was not sent", {}],
    ["that is null", { reference: null }],
    ["that is blank", { reference: " " }],
    ["that is empty", { reference: "" }],
    ["of blanks", { reference: ["", " "] }],
  ])("%s has no reward, and its neighbours keep theirs", async (_, facts) => {
    const { rewards, reply } = await rewarded(RIGHT, [maths(), maths(facts), maths({ reference: "41" })]);
    expect(rewards).toEqual([
      [1, 0],
      [null, null],
      [0, 1],
    ]);
    const [rollout] = reply.groups[1]?.rollouts ?? [];
    expect(rollout).toMatchObject({
      ...{ error: "facts_required", errors: { right: "facts_required" }, retryable: false },
      details: { right: { missing: ["reference"] } },
    });
    expect(reply.warnings).toContain("groups_failed: 1 of 3 groups have no reward: facts_required");
  });

  test.each([
    ["by none", [maths({}), maths({ reference: null })]],
    ["by the only one", [maths({})]],
  ])("%s is a request that is refused, by field", async (_, groups) => {
    const { post } = setUp();
    const problem = await problemOf(await post("/v1/rewards", { spec: { signals: RIGHT }, groups }));
    expect(problem).toMatchObject({ status: 400, code: "facts_required" });
    expect(problem.errors?.map(({ path }) => path)).toEqual(groups.map((_, g) => `groups[${g}].reference`));
  });

  test("beside a blank one, another reference decides", async () => {
    expect((await rewarded(RIGHT, [maths({ reference: ["", "42"] })])).rewards).toEqual([[1, 0]]);
  });

  test("has none either where its text is too long for anybody", async () => {
    const long = { prompt: "b", rollouts: [{ text: "x".repeat(300_000) }, { text: "x" }] };
    expect((await rewarded(RIGHT, [maths(), long])).rewards).toEqual([
      [1, 0],
      [null, null],
    ]);
  });
});

describe("a spec for mixed data sets", () => {
  const mixed = { ...RIGHT, ...PASSES };
  const reward = "coalesce(right, 0) + coalesce(tests, 0)";

  test("pays each group by the signal whose facts it has", async () => {
    const { rewards, reply } = await rewarded(mixed, [maths(), code], { reward });
    expect(rewards).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(reply.groups.map(({ rollouts }) => rollouts[0]?.components)).toEqual([
      { right: 1, tests: null },
      { right: null, tests: 1 },
    ]);
  });

  test("takes a request of one task alone, and refuses one without the facts of any", async () => {
    expect((await rewarded(mixed, [code], { reward })).rewards).toEqual([[1, 0]]);
    expect((await rewarded(mixed, [maths()], { reward })).rewards).toEqual([[1, 0]]);
    expect(await rewarded(mixed, [maths({})], { reward })).toMatchObject({ status: 400, code: "facts_required" });
    // Where the reward does not replace a null, a fact that every group lacks is a mistake.
    expect(await rewarded(mixed, [code])).toMatchObject({ status: 400, code: "facts_required" });
    // One of the groups would be paid 0 whatever it did.
    expect(await rewarded(mixed, [code, maths({})], { reward })).toMatchObject({ status: 400 });
    expect((await rewarded(mixed, [code, maths(), maths({})], { reward })).rewards).toEqual([
      [1, 0],
      [1, 0],
      [null, null],
    ]);
  });

  test("makes a signal's fact optional by its `when`", async () => {
    const spec = { ...PASSES, right: { kind: "reference", when: "coalesce(tests, -1) == -1" } };
    const groups = [maths(), code];
    expect((await rewarded(spec, groups, { reward: "right + coalesce(tests, 0)" })).rewards).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect((await rewarded(spec, [code], { reward: "right + coalesce(tests, 0)" })).rewards).toEqual([[1, 0]]);
  });

  test("judges the rows without a reference, and checks the others", async () => {
    const signals = { ...RIGHT, base: { kind: "tournament" } };
    const spec = { candidate: { extract: "whole" }, reward: "coalesce(right, base)" };
    const plain = { prompt: "c", rollouts: [{ text: "longer" }, { text: "short" }] };
    expect((await rewarded(signals, [maths(), plain], spec)).rewards).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect((await rewarded(signals, [plain], spec)).rewards).toEqual([[1, 0]]);
  });

  test("pays no form alone where what is right is unknown", async () => {
    const signals = { ...RIGHT, form: { kind: "format", rules: ["has_candidate"] } };
    const spec = { candidate: { extract: "whole" }, reward: "coalesce(right, 0) + form" };
    expect(await rewarded(signals, [maths({})], spec)).toMatchObject({ status: 400, code: "facts_required" });
    const { rewards } = await rewarded(signals, [maths(), maths({})], spec);
    expect(rewards[1]).toEqual([null, null]);
  });

  test("reads null columns of the other task's rows", async () => {
    const { rewards } = await rewarded(
      mixed,
      [
        { ...maths(), test_cases: null, language: null, rubric: null },
        { ...code, reference: null },
      ],
      { reward },
    );
    expect(rewards).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});

test("results that some rollouts lack leave their group alone without a value", async () => {
  const some = { prompt: "c", rollouts: [{ text: "x", tests: [{ status: "pass" }] }, { text: "y" }] };
  expect((await rewarded(PASSES, [code, some])).rewards).toEqual([
    [1, 0],
    [null, null],
  ]);
});

test("token lengths are asked of every rollout, and never guessed", async () => {
  const spec = { short: { kind: "length", max: 100 } };
  const groups = [
    { prompt: "a", rollouts: [{ text: "x", length_tokens: 1 }] },
    { prompt: "b", rollouts: [{ text: "x" }] },
  ];
  expect(await rewarded(spec, groups)).toMatchObject({ status: 400, code: "length_tokens_required" });
});
