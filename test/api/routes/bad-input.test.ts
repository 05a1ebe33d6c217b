// Guarantees that bad input of every kind is a problem document that names the field and the limit, and never
// a 500.

import { describe, expect, test } from "vitest";
import { REQUEST_ERRORS } from "../../../src/core/faults/errors.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { cpuMs } from "../../harness/cpu-time.ts";
import fc from "../../harness/property.ts";
import { CASES, group, rollouts, withRollout, withSpec } from "./bad-inputs.ts";
import { problemOf, setUp } from "./harness.ts";

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
    fc.asyncProperty(fc.oneof(near, fc.jsonValue()), fc.constantFrom("rewards", "verdicts"), async (body, route) => {
      const response = await post(`/v1/${route}`, JSON.stringify(body));
      if (response.status !== 200) expect((await problemOf(response)).status).toBe(400);
    }),
    { numRuns: 150 },
  );
});

test("whatever text comes, the reply is 200 or a problem that is in the table", async () => {
  const { post } = setUp();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ un1e-.+tNa'), maxLength: 40 }), async (text) => {
      const problem = await problemOf(await post("/v1/verdicts", text));
      expect(Object.keys(REQUEST_ERRORS)).toContain(problem.code);
      expect(problem.status).toBe(400);
    }),
    { numRuns: 300 },
  );
});
