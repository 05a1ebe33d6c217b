// Guarantees that no input to a foreign contract is a 500: it is answered, or refused in words its clients
// read; and that every way to present a key works.

import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import fc from "../../harness/property.ts";
import * as examples from "./examples.ts";
import { setUp } from "./setup.ts";

const ROUTES: [path: string, example: object][] = [
  ["/v1/rerank", examples.rerank],
  ["/v2/rerank", examples.rerank],
  ["/rerank", examples.tei],
  ["/rerank", examples.rerank],
  ["/score", examples.score],
  ["/v1/score", examples.score],
  ["/classify", examples.classify],
  ["/v1/score_batch", examples.scoreBatch],
  ["/v1/chat/completions", examples.chat],
  ["/openrlhf/get_reward?group_window_ms=0&on_failure=0", examples.openRlhf],
  ["/slime/reward?group_window_ms=0&on_failure=0", examples.slime],
  ["/verl/compute_score?group_window_ms=0&on_failure=0", examples.verl],
  ["/nemo-gym/verify?group_window_ms=0&on_failure=flag", examples.nemoGym],
  ["/nemo-gym/ng-rollout/7/verify?group_window_ms=0&on_failure=flag", examples.nemoGym],
  ["/evaluate?group_window_ms=0&on_failure=flag", examples.evalProtocol],
];

const withQuery = (path: string, more: string) => `${path}${path.includes("?") ? "&" : "?"}${more}`;

test.each(ROUTES)(
  "%s: whatever JSON comes in whichever field, the reply is 200 or a 4xx that says why",
  async (path, example) => {
    const { post } = setUp();
    const fields = Object.keys(example);
    const mutation = fc.tuple(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const response = await post(path, { ...example, ...Object.fromEntries(mutations) });
        const body = (await response.json()) as { detail?: string };
        if (response.status === 200) return;
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(response.status).toBeLessThan(500);
        expect(body.detail).toBeTypeOf("string");
      }),
      { numRuns: 60 },
    );
  },
);

test.each(ROUTES)("%s: unknown fields and parameters are ignored", async (path, example) => {
  const { post } = setUp();
  const more = { user: "u", extra_body: { a: 1 }, truncate_prompt_tokens: 5, mm_processor_kwargs: null };
  const [plain, rich] = await Promise.all([
    post(path, example),
    post(withQuery(path, "api-version=1"), { ...example, ...more }),
  ]);
  expect([plain.status, rich.status]).toEqual([200, 200]);
});

test.each(ROUTES)("%s: a flood of wrong elements is refused without a fault for each", async (path, example) => {
  const flood = Array.from({ length: 200_000 }, () => 1);
  for (const [field, value] of Object.entries(example)) {
    if (!Array.isArray(value)) continue;
    const response = await setUp().post(path, { ...example, [field]: flood });
    const text = await response.text();
    expect([400, 422]).toContain(response.status);
    expect(text.length).toBeLessThan(LIMITS.validation_errors_max * 400);
  }
});

describe("a key", () => {
  const ways: [string, (path: string) => [string, Record<string, string>]][] = [
    ["in the path", (path) => [`/k/s3cret${path}`, {}]],
    ["as Basic password", (path) => [path, { authorization: `Basic ${btoa("user:s3cret")}` }]],
    ["as Bearer token", (path) => [path, { authorization: "Bearer s3cret" }]],
    ["as X-Api-Key", (path) => [path, { "x-api-key": "s3cret" }]],
  ];
  test.each(ways)("%s opens every contract, and its name is logged", async (_, way) => {
    const hex = await sha256Hex("s3cret");
    const digest = Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
    const { post, runLog } = setUp({ keys: [{ name: "team", digest }] });
    for (const [path, example] of ROUTES) {
      const [at, headers] = way(path);
      expect((await post(at, example, headers)).status, path).toBe(200);
      expect((await post(path, example)).status, path).toBe(401);
    }
    expect(new Set(runLog.entries.map(({ key_name }) => key_name))).toEqual(new Set(["team"]));
  });
});
