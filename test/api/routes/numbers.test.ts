// Numbers of the caller's own are read by name, null where there is none or it lies outside its range, by
// which no neighbour loses anything; what a missing reward says of another try.
import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

const SPEC = {
  signals: {
    cost: { kind: "number", field: "cost", range: [0, 5] },
    right: { kind: "number", field: "right", range: [0, 1] },
  },
  reward: "right - 0.1 * cost",
};
const request = (...numbers: unknown[]) => ({
  spec: SPEC,
  groups: [{ prompt: "p", rollouts: numbers.map((sent, i) => ({ text: `answer ${i}`, numbers: sent })) }],
});
const post = (body: object) => setUp().post("/v1/rewards", body);

test("each rollout's own enter its reward, and the range of the reward follows from theirs", async () => {
  const reply = (await (await post(request({ cost: 1, right: 1 }, { cost: 5, right: 0 }))).json()) as RewardsReply;
  expect([reply.rewards, reply.reward_range]).toEqual([[[0.9, -0.5]], [-0.5, 1]]);
});

test("one that is missing, null or outside its range is null with its code; its neighbours have theirs", async () => {
  const all = [{ cost: 0, right: 1 }, { right: 1 }, { cost: null, right: 1 }, { cost: 5.01, right: 1 }];
  const { groups } = (await (await post(request(...all))).json()) as RewardsReply;
  expect(groups[0]?.rollouts.map(({ reward, error }) => reward ?? error)).toEqual([
    1,
    "no_number",
    "no_number",
    "no_number",
  ]);
  expect(groups[0]?.rollouts[3]?.details).toMatchObject({ cost: { out_of_range: 5.01 } });
});

test.each([
  ["no numbers at all", undefined, "numbers", "facts_required"],
  ["a name that no rollout has", { right: 1, costs: 1 }, "numbers.cost", "facts_required"],
  ["a name that is none", { Cost: 1 }, "numbers.Cost", "invalid_request"],
  ["a text for a number", { cost: "1" }, "numbers.cost", "invalid_request"],
  [
    "more than there may be",
    Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`n${i}`, i])),
    "numbers",
    "invalid_request",
  ],
])("%s is refused by its field", async (_, numbers, path, code) => {
  const problem = await problemOf(await post(request(numbers, numbers)));
  expect([problem.status, problem.code, problem.errors?.[0]?.path]).toEqual([
    400,
    code,
    `groups[0].rollouts[0].${path}`,
  ]);
});

test("a range that is none is refused when the spec is read", async () => {
  const check = async (range: unknown) =>
    problemOf(await setUp().post("/v1/specs/check", { signals: { cost: { kind: "number", field: "cost", range } } }));
  expect((await check([1, 1])).errors?.[0]?.path).toBe("signals.cost.range");
  expect((await check([0, 1e300])).errors?.[0]?.message).toContain("value_max");
});

test("ranks of log likelihoods need no likelihood, which underflows", async () => {
  const spec = {
    signals: { seen: { kind: "number", field: "seen", range: [-1e6, 0] } },
    reward: "1 - rank(seen)",
  };
  const { groups } = request({ seen: -1200 }, { seen: -900 }, { seen: -4000 });
  const reply = (await (await post({ spec, groups })).json()) as RewardsReply;
  expect(reply.rewards).toEqual([[0.5, 0, 1]]);
});

test("a contract of one sample takes them from its label or its row", async () => {
  const { post: send, call } = setUp();
  await call("/v1/specs/numbered", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(SPEC),
  });
  const sample = { query: ["qa"], prompts: ["q"], labels: [JSON.stringify({ numbers: { cost: 2, right: 1 } })] };
  const response = await send("/openrlhf/get_reward?spec=numbered", sample);
  expect(await response.json()).toMatchObject({ rewards: [0.8] });
});

test("a group of which the spec abstains in part is ok; alone with failures it is not", async () => {
  const spec = { ...SPEC, reward: "if(right > 0.5, right - 0.1 * cost, abstain())" };
  const reply = async (...numbers: object[]) =>
    (await (await post({ ...request(...numbers), spec })).json()) as RewardsReply;
  const some = await reply({ cost: 1, right: 1 }, { cost: 1, right: 0 });
  expect([some.rewards, some.groups[0]?.status]).toEqual([[[0.9, null]], "ok"]);
  expect(some.groups[0]?.rollouts[1]?.error).toBe("abstained");
  expect((await reply({ cost: 1, right: 0 }, { cost: 1, right: 0 })).groups[0]?.status).toBe("ok");
  expect((await reply({ cost: 9, right: 1 }, { cost: 1, right: 0 })).groups[0]?.status).toBe("failed");
  expect((await reply({ cost: 9, right: 1 }, { cost: 1, right: 1 })).groups[0]?.status).toBe("partial");
});

test("a null reward says whether the same request may bring it another time", async () => {
  const told = async (verifier: ReturnType<typeof fakeVerifier>) => {
    const groups = [{ prompt: "p", rollouts: [{ text: "```\na\n```" }, { text: "```\nb\n```" }] }];
    const { groups: found } = (await (
      await setUp({ verifier }).post("/v1/rewards", { groups })
    ).json()) as RewardsReply;
    return found[0]?.rollouts.map(({ error, retryable }) => [error, retryable]);
  };
  expect(await told(fakeVerifier(() => ({ error: "verifier_unavailable" })))).toEqual([
    ["verifier_unavailable", true],
    ["verifier_unavailable", true],
  ]);
  expect(await told(fakeVerifier(() => "mumbling"))).toEqual([
    ["unparsed", false],
    ["unparsed", false],
  ]);
  expect(await told(fakeVerifier(() => "\\boxed{A}"))).toEqual([
    [null, undefined],
    [null, undefined],
  ]);
});
