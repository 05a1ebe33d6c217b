// The guarantees of POST /v1/verdicts over fakes.

import { expect, test } from "vitest";
import * as examples from "../../../scripts/build/openapi/examples.ts";
import { isPlainVerdictItem } from "../../../src/api/routes/verdict-items.ts";
import { VerdictsReplySchema } from "../../../src/core/contract/verdicts-reply.ts";
import { VerdictItemSchema } from "../../../src/core/contract/verdicts-request.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import fc from "../../harness/property.ts";
import { problemOf, setUp } from "./harness.ts";

test("the example is rewarded as the document shows", async () => {
  const reply = VerdictsReplySchema.parse(await (await setUp().post("/v1/verdicts", examples.verdictsRequest)).json());
  expect({ ...reply, request_id: examples.verdictsReply.request_id }).toEqual(examples.verdictsReply);
});

test("with a run_id the metrics are logged, without prompts no text; without one nothing is, and the reply says so", async () => {
  const { post, runLog } = setUp();
  expect(await (await post("/v1/verdicts", examples.verdictsRequest)).json()).toMatchObject({
    logged: false,
    warnings: [],
  });
  expect(runLog.entries).toHaveLength(0);
  const reply = await (await post("/v1/verdicts", { run_id: "v", step: 1, ...examples.verdictsRequest })).json();
  expect(reply).toMatchObject({ logged: true });
  expect(runLog.entries).toMatchObject([
    { kind: "verdicts", run_id: "v", step: 1, items: 1, groups: [], metrics: { parse_rate: 1, list_acc: 1 } },
  ]);
  expect(JSON.stringify(runLog.entries)).not.toContain("boxed");
});

test("a failed log write leaves the rewards and says logged: false", async () => {
  const { post, runLog } = setUp();
  runLog.fault = new Error("down");
  const reply = await (await post("/v1/verdicts", { run_id: "v", ...examples.verdictsRequest })).json();
  expect(reply).toMatchObject({ rewards: [1], logged: false, warnings: ["log_failed"] });
});

test("faults name the item, the field and the limit", async () => {
  const { post } = setUp();
  const send = async (items: unknown, more: object = {}) =>
    (await problemOf(await post("/v1/verdicts", { formulation: "list_em", items, ...more }))).errors;
  const good = { text: "t", candidates: 3, correct: 1 };
  expect(await send([good, { text: "t", candidates: 27, correct: 1 }])).toEqual([
    { path: "items[1].candidates", message: expect.stringContaining("verdict_candidates_max") },
  ]);
  expect(await send([])).toEqual([{ path: "items", message: expect.stringContaining("at least 1") }]);
  expect(await send(Array(65_537).fill(good))).toEqual([
    { path: "items", message: expect.stringContaining("verdict_items_max is 65536") },
  ]);
  expect(await send([good], { options: { list_sc_wrong: 1 } })).toEqual([
    { path: "options.list_sc_wrong", message: expect.stringContaining("-1 or 0") },
  ]);
  expect(await send([good], { formulation: "list" })).toEqual([
    { path: "formulation", message: expect.stringContaining('"list_em"') },
  ]);
});

test("the quick look accepts only what the schema accepts unchanged, and all that is plain", () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.integer({ min: -2, max: 30 }),
    fc.double({ min: -0.5, max: 1.5 }),
    fc.constantFrom(null, Number.POSITIVE_INFINITY, 1.5),
  );
  const item = fc.record(
    {
      prompt: fc.oneof(fc.string(), value),
      text: fc.oneof(fc.string(), value),
      candidates: value,
      correct: value,
      pass_rates: fc.oneof(value, fc.array(value)),
      length_tokens: value,
      extra: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(item, fc.jsonValue()), (element) => {
      const parsed = VerdictItemSchema.safeParse(element);
      expect(isPlainVerdictItem(element)).toBe(parsed.success);
      if (parsed.success) expect(parsed.data).toEqual(element);
    }),
    { numRuns: 2000 },
  );
  const long = { text: "x".repeat(LIMITS.verdict_text_bytes / 3 + 1) };
  expect([isPlainVerdictItem(long), VerdictItemSchema.safeParse(long).success]).toEqual([false, true]);
});
