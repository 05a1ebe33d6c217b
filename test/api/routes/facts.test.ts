// Specs whose signals need facts of a request, over HTTP: values, details, what the log keeps, and
// refusals by field before anything is asked.
import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { SIGNALS } from "../../../src/core/reward/table.ts";
import { problemOf, setUp } from "./harness.ts";

const TESTS = { kind: "tests", score: "rate" };
const pass = { status: "pass" };
const fail = { status: "fail" };
const group = (...rollouts: object[]) => ({
  prompt: "Write it.",
  rollouts: rollouts.map((facts, i) => ({ text: `answer ${i}`, ...facts })),
});

test("results of tests, lengths and step scores come together in one expression, with details", async () => {
  const { post, runLog, verifier } = setUp();
  const spec = {
    signals: { tests: TESTS, short: { kind: "length", max: 100 }, steps: { kind: "steps" } },
    reward: "if(tests == 1, 0.5 + 0.5 * short, -0.5 - 0.5 * short) + steps",
  };
  const response = await post("/v1/rewards", {
    run_id: "facts",
    spec,
    columns: true,
    groups: [
      group(
        { tests: [pass, pass], length_tokens: 50, step_scores: [0.9, 0.25] },
        { tests: [pass, fail], length_tokens: 0, step_scores: [1, null] },
        { tests: [pass, { status: "infra" }], length_tokens: 0, step_scores: [1] },
      ),
    ],
  });
  const reply = (await response.json()) as RewardsReply;
  expect(response.status).toBe(200);
  expect(reply.rewards).toEqual([[0.75 + 0.25, -1 + 1, null]]);
  expect(reply.columns?.steps).toEqual([[0.25, 1, 1]]);
  const [first, , third] = reply.groups[0]?.rollouts ?? [];
  expect(first?.details).toEqual({ tests: { pass: 2 }, steps: { steps: [0.9, 0.25], first_wrong: 1 } });
  expect(third).toMatchObject({ error: "sandbox_failed", errors: { tests: "sandbox_failed", steps: null } });
  expect(verifier.jobs).toEqual([]);
  // Nothing here looks at a candidate.
  expect(reply.warnings).toEqual([]);
  const rows = runLog.entries[0]?.groups[0]?.signals ?? [];
  expect(rows.find((row) => row.signal === "tests" && row.rollout_index === 1)).toEqual({
    rollout_index: 1,
    signal: "tests",
    value: 0.5,
    code: null,
    detail: { pass: 1, fail: 1 },
  });
});

test("a missing fact refuses the request and names every rollout that lacks it", async () => {
  const { post, verifier } = setUp();
  const spec = { signals: { base: { kind: "tournament" }, tests: TESTS } };
  const groups = [group({ tests: [pass] }, {}), group({}, { tests: [] })];
  const problem = await problemOf(await post("/v1/rewards", { spec, groups }));
  expect(problem).toMatchObject({ status: 400, code: "facts_required" });
  expect(problem.errors).toEqual([
    { path: "groups[0].rollouts[1].tests", message: "required because the spec has the signal tests" },
    { path: "groups[1].rollouts[0].tests", message: "required because the spec has the signal tests" },
  ]);
  expect(verifier.jobs).toEqual([]);
});

test("a fact out of its bounds is refused by field and limit", async () => {
  const { post } = setUp();
  const spec = { signals: { tests: TESTS } };
  const refused = async (facts: object) =>
    (await problemOf(await post("/v1/rewards", { spec, groups: [group(facts)] }))).errors?.[0];
  expect((await refused({ tests: [{ status: "passed" }] }))?.path).toBe("groups[0].rollouts[0].tests[0].status");
  const many = await refused({ tests: new Array(1025).fill(pass) });
  expect(many).toMatchObject({ path: "groups[0].rollouts[0].tests", message: expect.stringContaining("tests_max") });
  expect((await refused({ tests: [pass], reference_logprobs: [1] }))?.path).toBe(
    "groups[0].rollouts[0].reference_logprobs[0]",
  );
});

test("without labels there is a value until max_steps, and the step must be sent", async () => {
  const { post } = setUp();
  const spec = { signals: { agree: { kind: "consensus", label_free: true, max_steps: 10 } } };
  const groups = [group({ answer: "4" }, { answer: "4" }, { answer: null })];
  const rewards = async (step: number) =>
    ((await (await post("/v1/rewards", { spec, groups, step })).json()) as RewardsReply).groups[0]?.rollouts.map(
      ({ reward, error }) => reward ?? error,
    );
  expect(await rewards(9)).toEqual([1, 1, 0]);
  expect(await rewards(10)).toEqual(["label_free_over", "label_free_over", "label_free_over"]);
  expect((await problemOf(await post("/v1/rewards", { spec, groups }))).errors?.[0]?.path).toBe("step");
  const check = await (await post("/v1/specs/check", spec)).json();
  expect(check).toMatchObject({ facts: ["answer", "step"], relative: true, warnings: ["label_free_alone: agree"] });
  const { label_free: _, ...unsaid } = spec.signals.agree;
  const problem = await problemOf(await post("/v1/specs/check", { signals: { agree: unsaid } }));
  expect(problem.errors?.[0]?.path).toBe("signals.agree.label_free");
});

test("kimi's length needs the group, the others do not", async () => {
  const { post } = setUp();
  const check = async (settings: object) =>
    (await post("/v1/specs/check", { signals: { short: { kind: "length", ...settings } } })).json();
  expect(await check({ form: "kimi" })).toMatchObject({ relative: true, reward_range: [-0.5, 0.5] });
  expect(await check({ max: 100, unit: "characters" })).toMatchObject({
    relative: false,
    facts: [],
    warnings: ["length_in_characters: short"],
  });
  expect(await check({ form: "linear" })).toMatchObject({ errors: [{ path: "signals.short.max" }] });
});

test("another tool's contract refuses a spec whose facts it has no place for", async () => {
  const { post, call } = setUp();
  const put = await call("/v1/specs/tested", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ signals: { tests: TESTS } }),
  });
  expect(put.status).toBeLessThan(300);
  const rerank = await post("/v2/rerank?spec=tested", { query: "q", documents: ["a", "b"] });
  expect(rerank.status).toBe(400);
  expect(JSON.stringify(await rerank.json())).toContain("documents carry no tests, which the signal tests");
  const gathered = await post("/openrlhf/get_reward?spec=tested&group_size=1", {
    query: ["qa"],
    prompts: ["q"],
    labels: [""],
  });
  expect(JSON.stringify(await gathered.json())).toContain("labels[0] carries no tests");
});

test("kinds that share a request field read it by one schema", () => {
  for (const carrier of ["group", "rollout"] as const) {
    const known = new Map<string, unknown>();
    for (const { kind, fields } of SIGNALS) {
      for (const [name, schema] of Object.entries(fields?.[carrier] ?? {})) {
        expect(known.get(name) ?? schema, `${kind}'s ${name}`).toBe(schema);
        known.set(name, schema);
      }
    }
  }
});

test("final answers are compared with the group's reference, and what rules cannot tell has lost", async () => {
  const { post } = setUp();
  const spec = { signals: { right: { kind: "reference" } } };
  const texts = [
    "It is \\boxed{\\frac{1}{2}}.",
    "\\boxed{2}",
    "There is no box here.",
    "\\boxed{x/2}",
    "<think>\\boxed{0.5}",
  ];
  const rollouts = texts.map((text) => ({ text }));
  const rewarded = async (facts: object) => {
    const response = await post("/v1/rewards", { spec, groups: [{ prompt: "p", ...facts, rollouts }] });
    return ((await response.json()) as RewardsReply).groups[0]?.rollouts.map(({ reward, error }) => reward ?? error);
  };
  expect(await rewarded({ reference: "0.5" })).toEqual([1, 0, 0, 0, 0]);
  expect(await rewarded({ reference: ["3", "2"] })).toEqual([0, 1, 0, 0, 0]);
  expect(await rewarded({ reference: ["3", "a third"] })).toEqual([
    ...new Array(2).fill("rules_undecided"),
    0,
    "rules_undecided",
    0,
  ]);
  expect(await rewarded({ reference: " . " })).toEqual(new Array(5).fill("invalid_reference"));
  const missing = await problemOf(await post("/v1/rewards", { spec, groups: [{ prompt: "p", rollouts }] }));
  expect(missing.errors).toEqual([
    { path: "groups[0].reference", message: "required because the spec has the signal right" },
  ]);
});
