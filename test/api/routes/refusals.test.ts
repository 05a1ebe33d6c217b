// Guarantees that a refusal names its limit and what to do instead, and says the whole truth in plain words.
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { BatchQuerySchema } from "../../../src/api/routes/batches.ts";
import { ReplayRequestSchema } from "../../../src/api/routes/dead-letters.ts";
import { ChatRequestSchema } from "../../../src/api/tools/chat-completions.ts";
import { ClassifyRequestSchema } from "../../../src/api/tools/classify.ts";
import { EvaluateRequestSchema } from "../../../src/api/tools/eval-protocol.ts";
import { VerifyRequestSchema } from "../../../src/api/tools/nemo-gym.ts";
import { OpenRlhfRequestSchema } from "../../../src/api/tools/openrlhf.ts";
import { ScoreRequestSchema } from "../../../src/api/tools/score.ts";
import { ScoreBatchRequestSchema } from "../../../src/api/tools/shared/flat-batch.ts";
import { OptionsSchema, SampleOptionsSchema } from "../../../src/api/tools/shared/options.ts";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { SlimeRequestSchema } from "../../../src/api/tools/slime.ts";
import { VerlRequestSchema } from "../../../src/api/tools/verl.ts";
import { VerdictsRequestSchema } from "../../../src/core/contract/verdicts-request.ts";
import { ADVICE, isLimitName, type LimitName } from "../../../src/core/faults/limit-advice.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

const REQUESTS: Record<string, z.ZodType> = {
  RewardsRequestSchema,
  VerdictsRequestSchema,
  SpecSchema,
  ReplayRequestSchema,
  BatchQuerySchema,
  OptionsSchema,
  SampleOptionsSchema,
  ScoreBatchRequestSchema,
  RerankRequestSchema: RERANKERS.vllm.schema,
  TeiRequestSchema: RERANKERS.tei.schema,
  ScoreRequestSchema,
  ClassifyRequestSchema,
  ChatRequestSchema,
  OpenRlhfRequestSchema,
  SlimeRequestSchema,
  VerlRequestSchema,
  VerifyRequestSchema,
  EvaluateRequestSchema,
};

interface Check {
  _zod: { def: { check: string; value?: number; maximum?: number; error?: (issue: object) => string } };
}

/** Every upper bound within a schema, as its value and the name it goes by. */
function bounds(schema: unknown, seen = new Set<unknown>()): [bound: number, name: string | undefined][] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  if (Array.isArray(schema)) return schema.flatMap((one) => bounds(one, seen));
  const { def } = (schema as { _zod?: { def: Record<string, unknown> } })._zod ?? {};
  if (def === undefined) return [];
  const own = ((def.checks ?? []) as Check[]).flatMap(({ _zod: { def: check } }): [number, string | undefined][] => {
    const bound = check.check === "less_than" ? check.value : check.check === "max_length" ? check.maximum : undefined;
    return bound === undefined ? [] : [[bound, check.error?.({})]];
  });
  const within = ["element", "options", "innerType", "in", "out", "keyType", "valueType"].map((name) => def[name]);
  return [...own, ...[...within, ...Object.values(def.shape ?? {})].flatMap((one) => bounds(one, seen))];
}

/** Rates and shares end at 1 by what they are. */
const isShare = (bound: number) => bound === 1;

describe("every upper bound has a limit's name, and the limit an advice:", () => {
  test.each(Object.entries(REQUESTS))("%s", (_name, schema) => {
    const unnamed = bounds(schema).filter(
      ([bound, name]) => !isShare(bound) && (name === undefined || !isLimitName(name)),
    );
    expect(unnamed).toEqual([]);
    for (const [, name] of bounds(schema)) if (name !== undefined) expect(ADVICE).toHaveProperty(name);
  });

  test("and the walk sees bounds at all", () => {
    const names = bounds(RewardsRequestSchema).map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(["step_max", "temperature_max", "messages_max", "regex_chars"]));
  });
});

const group = (more: object = {}) => ({ ...twoRollouts().groups[0], ...more });
const rewards = (more: object) => ["/v1/rewards", { ...twoRollouts(), ...more }] as const;
const spec = (more: object) => rewards({ spec: more });
const item = (more: object) =>
  ["/v1/verdicts", { formulation: "list_em", items: [{ text: "t", candidates: 2, correct: 0, ...more }] }] as const;

const OVER: [LimitName, field: string, readonly [path: string, body: object]][] = [
  ["step_max", "step", rewards({ step: 2 ** 31 })],
  ["id_chars", "run_id", rewards({ run_id: "r".repeat(129) })],
  ["deadline_ms_min", "deadline_ms", rewards({ deadline_ms: 1 })],
  ["deadline_ms_max", "deadline_ms", rewards({ deadline_ms: 600_001 })],
  ["groups_max", "groups", rewards({ groups: Array(257).fill(group()) })],
  [
    "rollouts_per_group_max",
    "groups[0].rollouts",
    rewards({ groups: [group({ rollouts: Array(65).fill({ text: "" }) })] }),
  ],
  ["prompt_bytes", "groups[0].prompt", rewards({ groups: [group({ prompt: "x".repeat(2 ** 18 + 1) })] })],
  [
    "messages_max",
    "groups[0].prompt",
    rewards({ groups: [group({ prompt: Array(257).fill({ role: "user", content: "" }) })] }),
  ],
  [
    "name_chars",
    "groups[0].prompt[0].role",
    rewards({ groups: [group({ prompt: [{ role: "r".repeat(65), content: "" }] })] }),
  ],
  ["language_chars", "groups[0].language", rewards({ groups: [group({ language: "l".repeat(33) })] })],
  ["temperature_max", "spec.judge.temperature", spec({ judge: { temperature: 2.1 } })],
  ["samples_max", "spec.judge.samples", spec({ judge: { samples: 65 } })],
  ["max_tokens_max", "spec.judge.max_tokens", spec({ judge: { max_tokens: 131_073 } })],
  ["model_chars", "spec.judge.model", spec({ judge: { model: "m".repeat(257) } })],
  ["name_chars", "spec.judge.prompt", spec({ judge: { prompt: "p".repeat(65) } })],
  ["format_rules_max", "spec.format.rules", spec({ format: { rules: Array(9).fill("closed_think") } })],
  ["regex_chars", "spec.format.rules[0].regex", spec({ format: { rules: [{ regex: "a".repeat(513) }] } })],
  ["format_penalty_max", "spec.format.penalty", spec({ format: { penalty: 101 } })],
  ["integer_max", "spec.seed", spec({ seed: 2 ** 60 })],
  ["verdict_candidates_max", "items[0].candidates", item({ candidates: 27 })],
  ["overlong_tokens_max", "items[0].length_tokens", item({ length_tokens: 10_000_001 })],
  ["verdict_candidates_max", "items[0].pass_rates", item({ pass_rates: Array(27).fill(0) })],
  ["prefill_chars", "options.prefill", ["/v1/verdicts", { ...item({})[1], options: { prefill: "p".repeat(4097) } }]],
  ["rollouts_per_group_max", "group_size", ["/slime/reward?group_size=65", { prompt: "p", response: "r" }]],
  ["group_window_ms_max", "group_window_ms", ["/slime/reward?group_window_ms=600001", { prompt: "p", response: "r" }]],
  ["rollouts_per_group_max", "documents", ["/rerank", { query: "q", documents: Array(65).fill("d") }]],
  [
    "overlong_tokens_max",
    "length_tokens[0]",
    ["/v1/score_batch", { prompts: ["p"], completions: ["c"], length_tokens: [1e9] }],
  ],
];

/** A grammar's message is its own advice. */
const GRAMMARS = /^must match \S+ \(limit \w+\)$/;

test.each(OVER)("%s is named with its advice at %s", async (name, field, [path, body]) => {
  const response = await setUp().post(path, body);
  const { errors } = (await response.json()) as { errors: { path: string; message: string }[] };
  expect(errors.map((error) => error.path)).toEqual([field]);
  const { message = "" } = errors[0] ?? {};
  expect(message).toMatch(new RegExp(`\\b${name}\\b`));
  if (!GRAMMARS.test(message)) expect(message.endsWith(`; ${ADVICE[name]}`), message).toBe(true);
});

describe("in plain words:", () => {
  const detailOf = async (path: string, body: unknown) => (await problemOf(await setUp().post(path, body))).detail;

  test("one element is one element", async () => {
    expect(await detailOf("/v1/rewards", { groups: [] })).toBe("groups: 0 elements; must be at least 1 element");
    const lone = (await (await setUp().post("/v1/rerank", { query: "q", documents: [] })).json()) as {
      detail: string;
    };
    expect(lone.detail).toBe("documents: 0 elements; must be at least 1 element");
  });

  test("what is missing comes before what is unknown, and all are counted", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, 1]));
    const problem = await problemOf(await setUp().post("/v1/rewards", { ...unknown, step: -1 }));
    expect(problem.detail).toBe("groups: required (array) (and 51 more)");
    expect(problem.errors?.map(({ path }) => path).slice(0, 3)).toEqual(["groups", "step", "a0"]);
    expect(problem.errors).toHaveLength(LIMITS.validation_errors_max);
  });

  test("where the work ended early, the count says so", async () => {
    const items = Array.from({ length: 60 }, () => 0);
    expect(await detailOf("/v1/verdicts", { formulation: "list_em", items })).toContain("(and at least 19 more)");
    expect(await detailOf("/v1/verdicts", { formulation: "list_em", items: [0, 0] })).toContain("(and 1 more)");
  });

  test("items that do not fit their formulation are refused by what is wrong with the first", async () => {
    const items = [{ text: "t" }];
    const detail = "items[0].candidates: candidates and correct, or pass_rates, are needed";
    expect(await detailOf("/v1/verdicts", { formulation: "list_em", items })).toBe(detail);
    const two = { formulation: "list_em", items: [...items, ...items] };
    expect(await detailOf("/v1/verdicts", two)).toBe(`${detail} (and 1 more item)`);
  });

  test("lengths that overlong needs are asked for without a spec where there is none", async () => {
    const overlong = { max_tokens: 9, cache_tokens: 3 };
    const problem = await problemOf(await setUp().post("/v1/verdicts", { ...item({})[1], overlong }));
    expect(problem).toMatchObject({
      code: "length_tokens_required",
      detail: expect.stringMatching(/^items\[0\]\.length_tokens: /),
    });
    expect(problem.title).not.toContain("spec");
  });

  test("a body cut after its first brace is refused at its root", async () => {
    expect(await detailOf("/v1/rewards", "{")).toMatch(/^Not JSON at \$ /);
  });

  test("too many generations name the protocol's own limit", async () => {
    const rollouts = Array.from({ length: 64 }, (_, i) => ({ text: `\`\`\`\n${i}\n\`\`\`` }));
    const problem = await problemOf(
      await setUp().post("/v1/rewards", { spec: { judge: { samples: 64 } }, groups: [{ prompt: "p", rollouts }] }),
    );
    expect(problem.code).toBe("too_many_generations");
    expect(problem.errors?.[0]?.message).toMatch(
      /^129024 generations; the limit generations_openai_max is \d+; send fewer/,
    );
  });

  test("a spec that is the body has paths from the body's root", async () => {
    const put = async (name: string, body: object) =>
      problemOf(
        await setUp().call(`/v1/specs/${name}`, {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const regex = await put("s", { format: { rules: [{ regex: "(a+)+" }] } });
    expect([regex.code, regex.errors?.[0]?.path]).toEqual(["unsafe_regex", "format.rules[0].regex"]);
    expect(regex.detail).toMatch(/^format\.rules/);
    expect((await put("s", { judge: { prompt: "none" } })).errors?.[0]?.path).toBe("judge.prompt");
    const grammar = "must match [a-z0-9][a-z0-9._-]{0,63} (limit name_chars)";
    expect(await put("S1%20x", {})).toMatchObject({ status: 400, detail: `name: ${grammar}` });
    expect(await problemOf(await setUp().call("/v1/specs/S1%20x"))).toMatchObject({
      status: 404,
      detail: `name: ${grammar}`,
    });
  });

  test("an unknown model of the chat facade is a fault of model, one that the URL names of spec", async () => {
    const messages = [{ role: "user", content: '{"question":"q","candidates":["a","b"]}' }];
    const at = async (query: string, model: string) => {
      const response = await setUp().post(`/v1/chat/completions${query}`, { model, messages });
      return ((await response.json()) as { errors: { path: string }[] }).errors[0]?.path;
    };
    expect(await at("", "nobody")).toBe("model");
    expect(await at("?spec=nobody", "default")).toBe("spec");
  });

  test("answers without a choice have a title that does not contradict the detail", async () => {
    const { post } = setUp({ script: () => "no box" });
    const problem = (await (await post("/v1/rerank", { query: "q", documents: ["a", "b"] })).json()) as {
      title: string;
      detail: string;
    };
    expect(problem.title).toBe("The verifier's answers contain no choice");
    expect(problem.detail).toContain("texts stay unranked");
  });

  test("a page of another site on a loopback host is told that it is one", async () => {
    const at = async (url: string) =>
      (await problemOf(await setUp().app.request(url, { headers: { "sec-fetch-site": "cross-site" } }))).detail;
    expect(await at("http://localhost/v1/runs")).toContain("another site's page");
    expect(await at("http://example.com/v1/runs")).toContain("API_KEYS is not set");
  });
});
