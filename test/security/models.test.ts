// Holds that a key has no other model judge than the deployment gives it, by whatever route and
// spec it asks, through both protocols.
import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { parseModels } from "../../src/core/contract/allowed-models.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { allowedModels, readEnv } from "../../src/env.ts";
import { fenced, problemOf, setUp, twoRollouts } from "../api/routes/harness.ts";
import { fakeSpecStore } from "../harness/fakes.ts";

const hex = (key: string) => createHash("sha256").update(key).digest("hex");
const API_KEYS = `trainer:${hex("trainer")},ci:${hex("ci")}:score+admin`;
const MODELS = "judge-7b, judge-14b; trainer:org/judge-32b,qwen3:8b";
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const config = () => {
  const { config, faults } = readEnv({ API_KEYS, MODELS });
  expect(faults).toEqual([]);
  return config;
};

function deployment() {
  const { API_KEYS: keys = [], MODELS: lists = new Map() } = config();
  const stored = new Map([["big", SpecSchema.parse({ judge: { model: "org/judge-32b" } })]]);
  const specs = { ...fakeSpecStore(), get: async (name: string) => stored.get(name) ?? null };
  return setUp({ keys, specs, models: { configured: ["own"], lists } });
}

const asking = (model: string | null) => ({ ...twoRollouts(), spec: { judge: { model } } });

describe("judge.model", () => {
  test.each([
    ["ci", null, 200],
    ["ci", "own", 200],
    ["ci", "judge-14b", 200],
    ["ci", "org/judge-32b", 403],
    ["trainer", "own", 200],
    ["trainer", "org/judge-32b", 200],
    ["trainer", "qwen3:8b", 200],
    ["trainer", "judge-14b", 403],
    ["trainer", "*", 403],
  ])("of %s may be %s: %i", async (key, model, status) => {
    expect((await deployment().post("/v1/rewards", asking(model), bearer(key))).status).toBe(status);
  });

  it("is refused by its field, with the models that the key may name", async () => {
    const problem = await problemOf(await deployment().post("/v1/rewards", asking("gpt"), bearer("ci")));
    expect(problem).toMatchObject({ code: "model_not_allowed", retryable: false });
    expect(problem.errors).toEqual([
      { path: "spec.judge.model", message: expect.stringContaining("allowed: own, judge-7b, judge-14b;") },
    ]);
  });

  const chat = { messages: [{ role: "user", content: "x" }] };
  test.each<[string, unknown, string]>([
    ["/v1/rewards", { ...twoRollouts(), spec: "big" }, "spec"],
    ["/v1/score_batch", { prompts: ["p", "p"], completions: [fenced("a"), fenced("b")], spec: "big" }, "spec"],
    ["/v1/rerank", { query: "q", documents: ["a", "b"], model: "big" }, "model"],
    ["/v1/rerank?spec=big", { query: "q", documents: ["a", "b"] }, "spec"],
    ["/score", { text_1: "q", text_2: ["a", "b"], model: "big" }, "model"],
    ["/verl/compute_score?spec=big", { solution_str: "a", extra_info: { question: "q" } }, "spec"],
    ["/slime/reward?spec=big", { prompt: "p", response: "a", label: null }, "spec"],
    ["/v1/chat/completions", { ...chat, model: "big" }, "messages"],
  ])("of a stored spec is held to the list of the key that uses it: %s", async (path, body, at) => {
    const reply = await deployment().post(path, body, bearer("ci"));
    const said = JSON.stringify(await reply.json());
    if (at === "messages") return expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(said).toContain("model_not_allowed");
    expect(said).toContain(`"path":"${at}"`);
    expect((await deployment().post(path, body, bearer("trainer"))).status).not.toBe(403);
  });

  it("of a spec that is stored must be one that some key may use", async () => {
    const { call } = deployment();
    const put = (model: string) =>
      call("/v1/specs/x", {
        method: "PUT",
        headers: { "content-type": "application/json", ...bearer("ci") },
        body: JSON.stringify({ judge: { model } }),
      });
    expect((await put("qwen3:8b")).status).toBe(200);
    expect(await problemOf(await put("gpt"))).toMatchObject({ errors: [{ path: "judge.model" }] });
  });
});

describe.each(["openai", "verify"])("a deployment through %s", (VERIFIER_PROTOCOL) => {
  const fallback = { url: "http://127.0.0.1:9", protocol: VERIFIER_PROTOCOL, model: "second" };
  const env = {
    ...{ VERIFIER_PROTOCOL, VERIFIER_URL: "http://127.0.0.1:9", VERIFIER_MODEL: "first" },
    VERIFIER_FALLBACKS: JSON.stringify([fallback]),
  };
  const ask = async (model: string, more: Record<string, string> = {}) => {
    const { config, faults } = readEnv({ ...env, ...more });
    expect(faults).toEqual([]);
    return (await setUp({ models: allowedModels(config) }).post("/v1/rewards", asking(model))).status;
  };

  it("takes its own models and its fallbacks' without MODELS, and no other", async () => {
    expect([await ask("first"), await ask("second"), await ask("third")]).toEqual([200, 200, 403]);
  });

  it("takes any with MODELS=*", async () => {
    expect(await ask("third", { MODELS: "*" })).toBe(200);
  });
});

describe("MODELS", () => {
  it("gives everybody the entry without a key, and a key its own in its place", () => {
    expect([...parseModels(" a , b ;trainer:c,d:e; ")]).toEqual([
      ["*", ["a", "b"]],
      ["trainer", ["c", "d:e"]],
    ]);
    expect([...parseModels("*:qwen3:8b")]).toEqual([["*", ["qwen3:8b"]]]);
  });

  it.each(["a,,b", "a b", "trainer:", "a;b", "*:a;b", "t:a;t:b", `${"m".repeat(257)}`])("refuses %s", (text) =>
    expect(() => parseModels(text)).toThrow(RangeError),
  );

  it("with a key that API_KEYS does not name is a fault: it may be a model's name with a colon", () => {
    for (const text of ["qwen3:8b", "nobody:a"]) {
      expect(readEnv({ API_KEYS, MODELS: text }).faults).toMatchObject([{ path: "MODELS" }]);
      expect(readEnv({ MODELS: text }).faults).toMatchObject([{ path: "MODELS" }]);
    }
  });
});
