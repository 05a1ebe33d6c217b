// The guarantees of /score, /v1/score and /classify: every pair its score in input order, or an error.

import { describe, expect, test } from "vitest";
import { ClassifyReplySchema } from "../../../src/api/tools/classify.ts";
import { ScoreReplySchema } from "../../../src/api/tools/score.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import * as examples from "./examples.ts";
import { faultOf, PROGRAMS, replyOf, setUp, TEXTS } from "./setup.ts";

const chatml = (prompt: string, answer: string) =>
  `<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n${answer}<|im_end|>\n`;

describe("/score", () => {
  const scored = async (body: object, path = "/score") => {
    const reply = await replyOf(ScoreReplySchema, await setUp().post(path, body));
    expect(reply.data.map(({ index }) => index)).toEqual(reply.data.map((_, i) => i));
    return reply.data.map(({ score }) => score);
  };

  test.each([
    ["queries", "documents"],
    ["queries", "items"],
    ["data_1", "data_2"],
    ["text_1", "text_2"],
  ])("scores one of %s with each of %s, in input order", async (left, right) => {
    expect(await scored({ [left]: "q", [right]: PROGRAMS, truncate_prompt_tokens: 8 })).toEqual([0, 1, 0.5]);
    expect(await scored({ [left]: ["q"], [right]: PROGRAMS }, "/v1/score")).toEqual([0, 1, 0.5]);
  });

  test("scores pairs one to one: those of equal prompts are compared with each other, wherever they stand", async () => {
    const queries = ["p", "q", "p", "q", "p"];
    const documents = ["long", "a", "longer", "bb", "l"];
    expect(await scored({ queries, documents })).toEqual([0.5, 0, 1, 1, 0]);
  });

  test("the documented example is answered with vLLM's envelope", async () => {
    const reply = await replyOf(ScoreReplySchema, await setUp().post("/score", examples.score));
    expect(reply).toMatchObject({ object: "list", model: "default", created: Date.UTC(2026, 10, 21) / 1000 });
    expect(reply.id).toMatch(/^score-/);
  });

  test("two sides that do not fit are refused by name", async () => {
    const { post } = setUp();
    const many = Array.from({ length: LIMITS.rollouts_per_request_max + 1 }, (_, i) => `${i}`);
    const cases: [object, string, string][] = [
      [{ queries: ["a", "b"], documents: TEXTS }, "queries", "2 elements, but documents has 3"],
      [{ queries: "a" }, "$", "queries + documents"],
      [{ query: "a", items: TEXTS, label_token_ids: [1] }, "$", "queries + items"],
      [{ queries: "a", documents: many }, "documents", "rollouts_per_request_max is 2048"],
      [{ queries: "a", documents: many.slice(0, 65) }, "documents", "rollouts_per_group_max is 64"],
      [
        { queries: many.slice(0, 514).map((_, i) => `${i >> 1}`), documents: many.slice(0, 514) },
        "documents",
        "groups_max is 256",
      ],
      [{ queries: [1], documents: ["a"] }, "queries[0]", "string"],
    ];
    for (const [body, path, names] of cases) {
      const fault = await faultOf(await post("/v1/score", body), 400);
      expect(fault.errors, JSON.stringify(body).slice(0, 80)).toMatchObject([
        { path, message: expect.stringContaining(names) },
      ]);
    }
  });

  test("a text that is alone with its prompt is refused under a spec that compares, before anything is judged", async () => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const { post } = setUp({ verifier });
    const fault = await faultOf(await post("/score", { queries: ["p", "q", "p"], documents: TEXTS }), 400);
    expect(fault).toMatchObject({ code: "group_too_small", detail: expect.stringMatching(/documents\[1\].*compares/) });
    expect(verifier.jobs).toEqual([]);
  });

  test.each([
    ["/score", { queries: "q", documents: "a word" }],
    ["/v1/score", { queries: ["p", "q", "p"], documents: ["one", "two", "a word"] }],
    ["/classify", { query: "q", input: "a word" }],
    ["/classify", { input: ["p", "q"].map((prompt) => chatml(prompt, "a word")) }],
  ])("%s scores lone texts under a spec that compares nothing", async (path, body) => {
    const good = SpecSchema.parse({ candidate: { extract: "whole" }, signals: { good: { kind: "grade" } } });
    const verifier = fakeVerifier(() => "yes");
    const reply = await setUp({ verifier, specs: fakeSpecStore({ good }) }).post(path, { ...body, model: "good" });
    const { data } = (await reply.json()) as { data: { score?: number; probs?: number[] }[] };
    expect(data.map(({ score, probs }) => score ?? probs?.[0])).toEqual(data.map(() => 1));
    expect(verifier.jobs.length).toBeGreaterThan(0);
  });

  test("is logged under the URL's run, by the spec that the model names", async () => {
    const { post, runLog } = setUp({ specs: fakeSpecStore({ rm: ofFlat({ ...DEFAULT_SPEC, reward: "wins" }) }) });
    const response = await post("/score?run_id=r&step=1", { model: "rm", queries: "q", documents: PROGRAMS });
    expect((await replyOf(ScoreReplySchema, response)).data.map(({ score }) => score)).toEqual([0, 1, 0.5]);
    expect(runLog.entries).toMatchObject([{ run_id: "r", step: 1, items: 3 }]);
    expect(runLog.entries[0]?.spec).toContain('"reward":"wins"');
  });
});

describe("/classify", () => {
  test("reads rendered conversations as verl's client sends them and answers data[].probs in input order", async () => {
    const verifier = fakeVerifier(
      (shown) => `\\boxed{${(shown[0] as string).length > (shown[1] as string).length ? "A" : "B"}}`,
    );
    const input = [chatml("p", "long"), chatml("q", "a"), chatml("p", "longer"), chatml("q", "bb")];
    const body = { model: "rm", input, use_activation: false };
    const reply = await replyOf(ClassifyReplySchema, await setUp({ verifier }).post("/classify", body));
    expect(reply.data.map(({ probs }) => probs[0])).toEqual([0, 0, 1, 1]);
    expect(reply.data.at(-1)).toEqual({ index: 3, label: null, probs: [1], num_classes: 1 });
    expect(verifier.jobs.map(({ question, candidates }) => [question, candidates])).toEqual([
      ["user\np", ["long", "longer"]],
      ["user\nq", ["a", "bb"]],
    ]);
  });

  test("takes the prompt apart as query, one for all or one each", async () => {
    const { post } = setUp();
    const one = await replyOf(ClassifyReplySchema, await post("/classify", { input: TEXTS, query: "q" }));
    const each = await replyOf(
      ClassifyReplySchema,
      await post("/classify", { input: TEXTS, query: ["q", "q", "q"], use_activation: true }),
    );
    expect(one.data).toEqual(each.data);
    expect(one.data.map(({ probs }) => probs[0])).toEqual([0, 1, 0.5]);
    expect((await replyOf(ClassifyReplySchema, await post("/classify", examples.classify))).data).toHaveLength(2);
  });

  test("refuses what it cannot compare: one conversation, a text without a known template", async () => {
    const { post } = setUp();
    expect(await faultOf(await post("/classify", { input: chatml("p", "a") }), 400)).toMatchObject({
      code: "group_too_small",
      error: { code: 400 },
    });
    const fault = await faultOf(await post("/classify", { input: [chatml("p", "a"), "bare"] }), 400);
    expect(fault.errors).toMatchObject([{ path: "input[1]", message: expect.stringContaining("query") }]);
    const long = chatml("p".repeat(LIMITS.prompt_bytes + 1), "a");
    expect((await faultOf(await post("/classify", { input: [long, long] }), 400)).errors).toMatchObject([
      { path: "input[0]", message: expect.stringContaining("prompt_bytes") },
    ]);
  });
});
