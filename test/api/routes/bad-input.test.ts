// Owns the guarantee that bad input of every kind is a problem document that names the field and
// the limit, and never a 500.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { cpuMs } from "../../harness/cpu-time.ts";
import { fenced, problemOf, setUp, twoRollouts } from "./harness.ts";

const group = (more: object = {}) => ({ ...twoRollouts().groups[0], ...more });
const rollouts = (n: number, more: object = {}) =>
  Array.from({ length: n }, (_, i) => ({ text: fenced(`x${i}`), ...more }));
const withRollout = (more: object) => ({ groups: [group({ rollouts: [{ text: "t", ...more }, { text: "u" }] })] });
const withSpec = (spec: unknown) => ({ spec, groups: [group()] });

const CASES: [name: string, body: unknown, code: string, path: string, names: string][] = [
  [
    "a number for a text",
    { groups: [group({ rollouts: [{ text: 5 }] })] },
    "invalid_request",
    "groups[0].rollouts[0].text",
    "string",
  ],
  ["an unknown field", { groups: [group({ colour: 1 })] }, "invalid_request", "groups[0].colour", "unknown field"],
  [
    "a negative length",
    withRollout({ length_tokens: -1 }),
    "invalid_request",
    "groups[0].rollouts[0].length_tokens",
    "at least 0",
  ],
  [
    "a fractional length",
    withRollout({ length_tokens: 1.5 }),
    "invalid_request",
    "groups[0].rollouts[0].length_tokens",
    "int",
  ],
  [
    "a pass rate above 1",
    withRollout({ pass_rate: 1.1 }),
    "invalid_request",
    "groups[0].rollouts[0].pass_rate",
    "at most 1",
  ],
  ["0 groups", { groups: [] }, "invalid_request", "groups", "at least 1"],
  ["no groups field", {}, "invalid_request", "groups", "required"],
  ["groups that are no list", { groups: "all" }, "invalid_request", "groups", "array"],
  [
    "257 groups",
    { groups: Array.from({ length: 257 }, () => group()) },
    "invalid_request",
    "groups",
    "groups_max is 256",
  ],
  ["0 rollouts", { groups: [group({ rollouts: [] })] }, "invalid_request", "groups[0].rollouts", "at least 1"],
  [
    "65 rollouts",
    { groups: [group(), group({ rollouts: rollouts(65) })] },
    "invalid_request",
    "groups[1].rollouts",
    "rollouts_per_group_max is 64",
  ],
  [
    "2,112 rollouts",
    { groups: Array.from({ length: 33 }, () => group({ rollouts: rollouts(64) })) },
    "too_many_rollouts",
    "groups",
    "rollouts_per_request_max is 2048",
  ],
  ["a deadline of 1 ms", { deadline_ms: 1, groups: [group()] }, "invalid_request", "deadline_ms", "deadline_ms_min"],
  [
    "a deadline too far",
    { deadline_ms: 600_001, groups: [group()] },
    "invalid_request",
    "deadline_ms",
    "deadline_ms_max",
  ],
  [
    "a text over its limit",
    withRollout({ text: "x".repeat(LIMITS.rollout_text_bytes + 1) }),
    "invalid_request",
    "groups[0].rollouts[0].text",
    "rollout_text_bytes = 524288",
  ],
  [
    "a prompt over its limit",
    { groups: [group({ prompt: "é".repeat(140_000) })] },
    "invalid_request",
    "groups[0].prompt",
    "prompt_bytes = 262144",
  ],
  [
    "a wrong chat prompt",
    { groups: [group({ prompt: [{ role: "user" }] })] },
    "invalid_request",
    "groups[0].prompt[0].content",
    "required",
  ],
  [
    "a prompt of a wrong type",
    { groups: [group({ prompt: 7 })] },
    "invalid_request",
    "groups[0].prompt",
    "string or array",
  ],
  ["a bad run_id", { run_id: "a b", groups: [group()] }, "invalid_request", "run_id", "[A-Za-z0-9._:-]{1,128}"],
  [
    "a repeated group_id",
    { groups: [group({ group_id: "p" }), group({ group_id: "p" })] },
    "invalid_request",
    "groups[1].group_id",
    "groups[0]",
  ],
  [
    "a group_id that is another's index",
    { groups: [group(), group({ group_id: "0" })] },
    "invalid_request",
    "groups[1].group_id",
    "groups[0]",
  ],
  [
    "an overlong spec without length_tokens",
    withSpec({ overlong: { max_tokens: 9, cache_tokens: 3 } }),
    "length_tokens_required",
    "groups[0].rollouts[0].length_tokens",
    "overlong",
  ],
  [
    "cache_tokens above max_tokens",
    withSpec({ overlong: { max_tokens: 3, cache_tokens: 4 } }),
    "invalid_request",
    "spec.overlong.cache_tokens",
    "at most max_tokens",
  ],
  ["an unknown spec", withSpec("nobody"), "unknown_spec", "spec", "stored spec"],
  [
    "an unknown field of a spec",
    withSpec({ judge: { mod: "pairwise" } }),
    "invalid_request",
    "spec.judge.mod",
    "unknown field",
  ],
  [
    "a wrong choice in a spec",
    withSpec({ judge: { mode: "both" } }),
    "invalid_request",
    "spec.judge.mode",
    '"pairwise", "listwise"',
  ],
  [
    "a schedule of the other mode",
    withSpec({ judge: { mode: "listwise", schedule: "round_robin" } }),
    "invalid_request",
    "spec.judge.schedule",
    "single_list, blocks for listwise",
  ],
  ["65 samples", withSpec({ judge: { samples: 65 } }), "invalid_request", "spec.judge.samples", "samples_max"],
  [
    "an unknown prompt template",
    withSpec({ judge: { prompt: "nope" } }),
    "unknown_prompt",
    "spec.judge.prompt",
    "must be one of",
  ],
  [
    "a wrong format rule",
    withSpec({ format: { rules: ["has_candidates"] } }),
    "invalid_request",
    "spec.format.rules[0]",
    '"has_candidate", "closed_think"',
  ],
  [
    "nine format rules",
    withSpec({ format: { rules: Array(9).fill("has_candidate") } }),
    "invalid_request",
    "spec.format.rules",
    "format_rules_max is 8",
  ],
  [
    "a regex that would backtrack for ever",
    withSpec({ format: { rules: [{ regex: "(a+)+$" }] } }),
    "unsafe_regex",
    "spec.format.rules[0]",
    "",
  ],
  [
    "a regex with look-ahead",
    withSpec({ format: { rules: [{ regex: "(?=a)" }] } }),
    "unsafe_regex",
    "spec.format.rules[0]",
    "",
  ],
  ["a list for the body", [1], "invalid_request", "$", "object"],
  ["null for the body", "null", "invalid_request", "$", "object"],
  ["1e999", '{"deadline_ms":1e999,"groups":[]}', "invalid_request", "deadline_ms", "too large"],
  [
    "NaN",
    '{"groups":[{"prompt":"p","rollouts":[{"text":"t","pass_rate":NaN}]}]}',
    "invalid_json",
    "groups[0].rollouts[0].pass_rate",
    "NaN",
  ],
  ["-Infinity", '{"deadline_ms": -Infinity}', "invalid_json", "deadline_ms", "Infinity"],
  ["a text cut short", '{"groups":[{"prompt":"p', "invalid_json", "groups[0].prompt", "not closed"],
  ["an empty body", " ", "invalid_json", "$", "empty"],
  [
    "a __proto__ field",
    '{"__proto__":{"groups":[]},"groups":[{"prompt":"p","rollouts":[{"text":"t"}]}]}',
    "invalid_request",
    "__proto__",
    "unknown field",
  ],
];

describe("POST /v1/rewards refuses, naming field and limit:", () => {
  test.each(CASES)("%s", async (_name, body, code, path, names) => {
    const problem = await problemOf(await setUp().post("/v1/rewards", body));
    expect(problem.status).toBe(400);
    expect(problem.code).toBe(code);
    const error = problem.errors?.find((e) => e.path.startsWith(path));
    expect(error, JSON.stringify(problem.errors)).toBeDefined();
    expect(error?.message).toContain(names);
  });
});

test("a group of one rollout is scored as null with group_too_small", async () => {
  const response = await setUp().post("/v1/rewards", { groups: [group({ rollouts: rollouts(1) })] });
  expect(await response.json()).toMatchObject({
    rewards: [[null]],
    groups: [{ rollouts: [{ error: "group_too_small" }] }],
  });
});

test("invalid UTF-8 is named as such, wherever it is cut", async () => {
  const { call } = setUp();
  const whole = new TextEncoder().encode('{"groups":[{"prompt":"é"}]}');
  for (const body of [Uint8Array.from([...whole.slice(0, 22), 0xff, ...whole.slice(22)]), whole.slice(0, 23)]) {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect((await problemOf(await call("/v1/rewards", init))).code).toBe("invalid_encoding");
  }
});

test("at most validation_errors_max faults are reported, and a flood of wrong elements is bounded work", async () => {
  const items = Array.from({ length: 60_000 }, () => 0);
  const started = cpuMs();
  const problem = await problemOf(await setUp().post("/v1/verdicts", { formulation: "list_em", items }));
  expect(problem.errors).toHaveLength(LIMITS.validation_errors_max);
  const flood = { formulation: "list_em", items: [{ text: "t", pass_rates: Array(2_000_000).fill("") }] };
  const named = await problemOf(await setUp().post("/v1/verdicts", flood));
  expect(named.errors).toEqual([
    { path: "items[0].pass_rates", message: expect.stringContaining("verdict_candidates_max") },
  ]);
  expect(cpuMs() - started).toBeLessThan(5000);
});

test("texts of the request never appear in a refusal", async () => {
  const secret = "s3cr3t-m0del-text";
  const { post } = setUp();
  const bodies = [
    `{"groups":[{"prompt":"${secret}" "`,
    withRollout({ text: secret, finish_reason: secret }),
    withSpec(`${secret} `),
  ];
  for (const body of bodies) expect(await (await post("/v1/rewards", body)).text()).not.toContain(secret);
});

test("whatever JSON comes, the reply is 200 or a 400 problem", async () => {
  const { post } = setUp();
  const near = fc.record(
    {
      groups: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ prompt: fc.jsonValue(), rollouts: fc.jsonValue() }), { maxLength: 3 }),
      ),
      spec: fc.jsonValue(),
      deadline_ms: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(near, fc.jsonValue()),
      fc.constantFrom("rewards", "verdicts", "evaluations"),
      async (body, route) => {
        const response = await post(`/v1/${route}`, JSON.stringify(body));
        if (response.status !== 200) expect((await problemOf(response)).status).toBe(400);
      },
    ),
    { numRuns: 150 },
  );
});

test("whatever text comes, the reply is 200 or a problem that is in the table", async () => {
  const { post } = setUp();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ un1e-.+tNa'), maxLength: 40 }), async (text) => {
      const problem = await problemOf(await post("/v1/evaluations", text));
      expect(Object.keys(REQUEST_ERRORS)).toContain(problem.code);
      expect(problem.status).toBe(400);
    }),
    { numRuns: 300 },
  );
});
