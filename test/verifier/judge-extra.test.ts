// An engine's own fields: which a spec may say, that an engine gets the same through both protocols, and
// that none takes the place of ours.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { isExtraName } from "../../src/core/contract/judge-extra.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { JUDGE_TEMPLATE } from "../../src/core/wire/judge-template.ts";
import { readEnv } from "../../src/env.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { specHash } from "../../src/scoring/digest.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { problemOf, setUp, twoRollouts } from "../api/routes/harness.ts";
import { fakeVerifier } from "../harness/fakes.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

const EXTRA = { reasoning_effort: "low", chat_template_kwargs: { enable_thinking: false }, top_k: 20 };
const LISTED = { extra: ["reasoning_effort", "chat_template_kwargs.enable_thinking", "top_k"] };

describe("through both protocols", () => {
  let engine: MockVerifier;
  let gateway: Gateway;
  beforeAll(async () => {
    engine = await startMockVerifier(() => answer("\\boxed{A}"));
    const pool = createEnginePool({ urls: [engine.url], model: "m", apiKey: null });
    gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  });
  afterAll(async () => {
    await gateway.close(0);
    await engine.close();
  });

  async function sent(verifier: Verifier, judge: SpecInput["judge"]) {
    const from = engine.log.length;
    const request = RewardsRequestSchema.parse(twoRollouts());
    const batch = { request, spec: SpecSchema.parse({ judge }), started_ms: clock.now() };
    await scoreBatch(
      { verifier: Object.assign(verifier, LISTED), clock },
      { ...batch, signal: new AbortController().signal },
    );
    return engine.log.slice(from).map(({ body }) => body as unknown as Record<string, unknown>);
  }

  test("an engine is asked with them, and without them as before", async () => {
    const openai = () => createOpenAiVerifier({ url: engine.url, model: "m", apiKey: null }, clock);
    const verify = () => createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock);
    for (const verifier of [openai, verify]) {
      const [plain] = await sent(verifier(), {});
      const [more] = await sent(verifier(), { extra: EXTRA });
      expect(more).toEqual({ ...plain, ...EXTRA });
      expect(Object.keys(plain ?? {})).not.toContain("top_k");
    }
  });
});

describe("what a spec may say", () => {
  const post = (extra: unknown, listed: readonly string[] = LISTED.extra) => {
    const verifier = Object.assign(
      fakeVerifier(() => "\\boxed{A}"),
      { extra: listed },
    );
    return setUp({ verifier }).post("/v1/rewards", { ...twoRollouts(), spec: { judge: { extra } } });
  };

  test("is what the deployment lists", async () => {
    expect((await post(EXTRA)).status).toBe(200);
    const problem = await problemOf(await post({ top_k: 1, min_p: 0.1 }, ["top_k"]));
    expect(problem).toMatchObject({ status: 400, code: "invalid_request" });
    expect(problem.errors).toEqual([
      { path: "spec.judge.extra.min_p", message: "is not in this deployment's JUDGE_EXTRA, which lists top_k" },
    ]);
    expect((await problemOf(await post({ top_k: 1 }, []))).detail).toContain("which lists none");
  });

  test.each([
    ["the name above alone", ["chat_template_kwargs"], ["enable_thinking"], ["enable_thinking"]],
    ["both names apart", ["chat_template_kwargs", "enable_thinking"], ["enable_thinking"], []],
    ["both names as one", ["chat_template_kwargs.enable_thinking"], ["enable_thinking"], []],
    ["another below it", ["chat_template_kwargs.enable_thinking"], ["enable_thinking", "date"], ["date"]],
    ["the name below alone", ["enable_thinking"], ["enable_thinking"], ["enable_thinking"]],
    ["names that no deployment may list", ["chat_template_kwargs"], ["chat_template"], ["chat_template"]],
  ])("a field below another is listed itself: %s", async (_, listed, names, refused) => {
    const kwargs = Object.fromEntries(names.map((name) => [name, false]));
    const reply = await post({ chat_template_kwargs: kwargs }, listed);
    if (refused.length === 0) return expect(reply.status).toBe(200);
    const paths = (await problemOf(reply)).errors?.map(({ path }) => path);
    expect(paths).toEqual(refused.map((name) => `spec.judge.extra.chat_template_kwargs.${name}`));
  });

  test("a signal's and an audit's judge are held to it, too", async () => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const judge = { preset: "yes-no", extra: { top_k: 1 } };
    const specs = {
      "spec.signals.q.judge.extra.top_k": { signals: { q: { kind: "grade", judge } } },
      "spec.audit.judge.extra.top_k": { audit: { share: 1, judge: { extra: { top_k: 1 } } } },
    };
    for (const [path, spec] of Object.entries(specs)) {
      const reply = await setUp({ verifier }).post("/v1/rewards", { ...twoRollouts(), spec });
      expect((await problemOf(reply)).errors?.map((fault) => fault.path)).toEqual([path]);
    }
  });

  test.each([
    [{ model: "other" }],
    [{ messages: [] }],
    [{ stop: "\\boxed" }],
    [{ response_format: { type: "json_object" } }],
    [{ Top_K: 1 }],
    [{ __proto__x: 1 }],
    [{ top_k: { a: { b: 1 } } }],
    [{ top_k: "x".repeat(2_048) }],
    [Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, i]))],
    ["low"],
  ])("%j is refused by its field", async (extra) => {
    const problem = await problemOf(await post(extra));
    expect(problem).toMatchObject({ status: 400, errors: [{ path: expect.stringMatching(/^spec\.judge\.extra/) }] });
  });

  test("enters the hash of a spec, whatever the order; where nothing is said the hash is what it was", async () => {
    const hash = (judge: SpecInput["judge"]) => specHash(SpecSchema.parse({ judge }));
    const plain = await hash({});
    expect([await hash({ extra: {} }), await hash({ extra: { top_k: 1 } })]).toEqual([
      plain,
      expect.not.stringMatching(plain),
    ]);
    expect(await hash({ extra: { a: 1, b: 2 } })).toBe(await hash({ extra: { b: 2, a: 1 } }));
  });
});

test("a deployment lists no field of ours", () => {
  const named = (text: string) => readEnv({ JUDGE_EXTRA: text });
  expect(named("reasoning_effort, top_k").config.JUDGE_EXTRA).toEqual(["reasoning_effort", "top_k"]);
  expect(named("chat_template_kwargs.enable_thinking").config.JUDGE_EXTRA).toHaveLength(1);
  for (const wrong of [
    "a.b.c",
    "a.",
    ".a",
    "a.messages",
    "messages.a",
    "model",
    "top_k,,min_p",
    "Top",
    "a b",
    Array.from({ length: 33 }, (_, i) => `f${i}`).join(),
  ]) {
    expect(named(wrong).faults.map(({ path }) => path)).toEqual(["JUDGE_EXTRA"]);
  }
  expect(["temperature", "seed", "stream", "logprobs", JUDGE_TEMPLATE].filter(isExtraName)).toEqual([]);
});
