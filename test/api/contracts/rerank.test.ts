// The guarantees of /v1/rerank and /v2/rerank: the superset reply, the order, failures that never become
// scores.

import { describe, expect, test } from "vitest";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { unconfiguredNames } from "../../../src/run-log/unconfigured.ts";
import { fakeSpecStore, fakeVerifier, type Script } from "../../harness/fakes.ts";
import { failingOn, faultOf, fenced, longest, PROGRAMS, replyOf, setUp, TEXTS } from "./setup.ts";

const cohereV1 = { query: "Sum it.", documents: PROGRAMS, top_n: 2, return_documents: true, max_chunks_per_doc: 3 };
const cohereV2 = { model: "rerank-v3.5", query: "Sum it.", documents: PROGRAMS, max_tokens_per_doc: 4096, priority: 0 };
const jina = { model: "jina-reranker-v2", query: "Sum it.", documents: PROGRAMS.map((text) => ({ text })) };
const vllm = { model: "rm", query: "Sum it.", documents: PROGRAMS, top_n: 3, truncate_prompt_tokens: -1 };

const ORDER = [1, 2, 0];
const indices = (reply: { results: { index: number }[] }) => reply.results.map(({ index }) => index);
const scores = (reply: { results: { relevance_score: number }[] }) => reply.results.map((r) => r.relevance_score);

describe("each dialect's request", () => {
  test.each([
    ["/v1/rerank", cohereV1, [1, 2]],
    ["/v2/rerank", cohereV2, ORDER],
    ["/v1/rerank", jina, ORDER],
    ["/v1/rerank", vllm, ORDER],
    ["/v2/rerank", vllm, ORDER],
  ])("is answered on %s best first, with what every dialect reads", async (path, body, order) => {
    const reply = await replyOf(RERANKERS.cohere_v2.reply, await setUp().post(path, body));
    expect(indices(reply)).toEqual(order);
    expect(scores(reply)).toEqual([1, 0.5, 0].slice(0, order.length));
    expect(reply.model).toBe("model" in body ? body.model : "default");
    expect(reply.usage).toEqual({ prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 });
    expect(reply.meta).toEqual({
      api_version: { version: path.slice(2, 3) },
      tokens: { input_tokens: 30, output_tokens: 6 },
      warnings: [],
    });
  });
});

describe("documents", () => {
  test("come back only when asked for: texts as {text}, objects as they came", async () => {
    const { post } = setUp();
    const objects = PROGRAMS.map((text, i) => ({ text, title: `t${i}` }));
    const plain = await replyOf(RERANKERS.cohere_v2.reply, await post("/v1/rerank", cohereV1));
    const rich = await replyOf(
      RERANKERS.cohere_v2.reply,
      await post("/v1/rerank", { ...cohereV1, documents: objects }),
    );
    const none = await replyOf(RERANKERS.cohere_v2.reply, await post("/v2/rerank", cohereV2));
    expect(plain.results[0]?.document).toEqual({ text: PROGRAMS[1] });
    expect(rich.results[0]?.document).toEqual(objects[1]);
    expect(none.results.some((result) => "document" in result)).toBe(false);
  });

  test("that are objects are judged by rank_fields, else by text", async () => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const documents = [{ title: "x", body: "y", n: 1 }, { body: "z" }];
    const { post } = setUp({ verifier });
    await post("/v1/rerank", { query: "q", documents, rank_fields: ["title", "body"] });
    await post("/v1/rerank", { query: "q", documents, rank_fields: ["body"] });
    expect(verifier.jobs.map(({ candidates }) => candidates)).toEqual([
      ["title: x\nbody: y", "title:\nbody: z"],
      ["y", "z"],
    ]);
  });

  test("without a text are refused by their place", async () => {
    const documents = [{ text: "a" }, { title: "b" }, { text: 3 }];
    const fault = await faultOf(await setUp().post("/v1/rerank", { query: "q", documents }), 400);
    expect(fault.errors?.map(({ path }) => path)).toEqual(["documents[1]", "documents[2]"]);
  });

  test("are judged by their last program when every one has one, else whole", async () => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const { post } = setUp({ verifier });
    await post("/v2/rerank", { query: "q", documents: [fenced("a"), fenced("b")] });
    await post("/v2/rerank", { query: "q", documents: [fenced("a"), "b"] });
    expect(verifier.jobs.map(({ candidates }) => candidates)).toEqual([
      ["a", "b"],
      [fenced("a"), "b"],
    ]);
  });

  test("64 of them are ranked", async () => {
    const documents = Array.from({ length: 64 }, (_, i) => `document ${"x".repeat(i)}`);
    const reply = await replyOf(
      RERANKERS.cohere_v2.reply,
      await setUp().post("/v2/rerank", { ...cohereV2, documents }),
    );
    expect(indices(reply)).toEqual(Array.from({ length: 64 }, (_, i) => 63 - i));
  });
});

describe("scores", () => {
  test("lie in 0..1 for every reward rule, and are raw on request", async () => {
    const specs = fakeSpecStore({
      wins: ofFlat({ ...DEFAULT_SPEC, reward: "wins" }),
      top1: ofFlat({ ...DEFAULT_SPEC, reward: "top1" }),
      strict: ofFlat({ ...DEFAULT_SPEC, format: { rules: ["has_candidate"], penalty: 2 } }),
    });
    const { post } = setUp({ specs });
    const documents = [...PROGRAMS.slice(0, 2), "no program here"];
    const of = async (spec: string, more: object = {}) =>
      scores(
        await replyOf(
          RERANKERS.cohere_v2.reply,
          await post(`/v2/rerank?spec=${spec}`, { ...cohereV2, documents, ...more }),
        ),
      );
    expect(await of("wins")).toEqual([1, 0.5, 0]);
    expect(await of("wins", { use_activation: false })).toEqual([2, 1, -1]);
    expect(await of("top1")).toEqual([1, 0, 0]);
    expect(await of("strict")).toEqual([1, 0.5, 0]);
    expect(await of("strict", { use_activation: false })).toEqual([1, 0.5, -2]);
  });

  test("that are equal are ordered by content, so the places of the documents do not matter", async () => {
    const documents = ["alpha", "beta", "gamma", "delta"];
    const both = ofFlat({ ...DEFAULT_SPEC, judge: { ...DEFAULT_SPEC.judge, both_orders: true } });
    const whole = { ...both, candidate: { ...both.candidate, extract: "whole" as const } };
    // Whoever is shown first wins: in both orders that is a tie everywhere.
    const { post } = setUp({ specs: fakeSpecStore({ whole }), script: () => "\\boxed{A}" });
    const rank = async (given: string[]) => {
      const response = await post("/v2/rerank", { model: "whole", query: "q", documents: given });
      const reply = await replyOf(RERANKERS.cohere_v2.reply, response);
      expect(scores(reply)).toEqual([0.5, 0.5, 0.5, 0.5]);
      return reply.results.map(({ index }) => given[index]);
    };
    expect(await rank([...documents].reverse())).toEqual(await rank(documents));
  });

  test("a verifier whose answers hold few choices is named in the warnings", async () => {
    const script: Script = (shown, about) => (shown.includes("123") ? longest(shown, about) : "no choice");
    const response = await setUp({ script }).post("/v2/rerank", cohereV2);
    expect(response.headers.get("x-kritai-warnings")).toBe("partly_judged 0,2; parse_rate_low: 0.50");
    const reply = await replyOf(RERANKERS.cohere_v2.reply, response);
    expect(reply.meta.warnings).toEqual(["partly_judged 0,2", "parse_rate_low: 0.50"]);
    expect(indices(reply)[0]).toBe(1);
  });

  test.each(["/v2/rerank", "/v1/rerank", "/rerank", "/pinecone/rerank", "/score"])(
    "%s: answers without any choice rank nothing, even if the spec counts them as ties",
    async (path) => {
      const specs = fakeSpecStore({
        ties: ofFlat({ ...DEFAULT_SPEC, judge: { ...DEFAULT_SPEC.judge, unparsed: "tie" } }),
      });
      const body =
        path === "/score"
          ? { model: "m", text_1: "Sum it.", text_2: PROGRAMS }
          : path === "/pinecone/rerank"
            ? { ...cohereV2, documents: PROGRAMS.map((text) => ({ text })) }
            : cohereV2;
      const reply = await setUp({ specs, script: () => "no choice" }).post(`${path}?spec=ties`, body);
      expect(reply.status).toBe(422);
      expect(await reply.text()).toContain("contain no choice");
    },
  );
});

describe("the spec", () => {
  const specs = fakeSpecStore({
    stored: ofFlat({ ...DEFAULT_SPEC, seed: 7 }),
    other: ofFlat({ ...DEFAULT_SPEC, seed: 8 }),
  });
  const seedUsed = async (path: string, model?: string) => {
    const verifier = fakeVerifier(() => "\\boxed{A}");
    const response = await setUp({ specs, verifier }).post(path, { ...cohereV2, model });
    return response.status === 200 ? verifier.calls[0]?.seed : response.status;
  };

  test("is the URL's, else the one stored under the model's name, else the contract's own", async () => {
    expect(await seedUsed("/v2/rerank?spec=stored", "other")).toBe(7);
    expect(await seedUsed("/v2/rerank", "other")).toBe(8);
    expect(await seedUsed("/v2/rerank", "rerank-v3.5")).toBe(0);
    expect(await seedUsed("/v2/rerank", "Cohere/Rerank 3.5")).toBe(0);
    expect(await seedUsed("/v2/rerank")).toBe(0);
    expect(await seedUsed("/v2/rerank?spec=none")).toBe(400);
  });

  test("a model's name needs no database, but one that fails could hide a spec", async () => {
    const unconfigured = setUp({ specs: unconfiguredNames("DATABASE_URL") });
    expect((await unconfigured.post("/v2/rerank", cohereV2)).status).toBe(200);
    const down = () => Promise.reject(new Error("down"));
    const broken = { get: down, save: down, names: down, page: down };
    expect((await setUp({ specs: broken }).post("/v2/rerank", cohereV2)).status).toBe(500);
    expect((await setUp({ specs: broken }).post("/v2/rerank", jina)).status).toBe(500);
    expect((await setUp({ specs: broken }).post("/v2/rerank", cohereV1)).status).toBe(200);
  });
});

describe("failures", () => {
  test("a document that no judge takes is last and named; the others keep their scores", async () => {
    const { post } = setUp({ script: failingOn((text) => text === "two now", "verifier_rejected") });
    const response = await post("/v2/rerank", { ...cohereV2, documents: TEXTS });
    expect(response.headers.get("x-kritai-warnings")).toBe("last_unjudged 2: verifier_rejected; partly_judged 0,1");
    const reply = await replyOf(RERANKERS.cohere_v2.reply, response);
    expect(indices(reply)).toEqual([1, 0, 2]);
    expect(scores(reply)).toEqual([1, 0, 0]);
    expect(reply.meta.warnings).toEqual(["last_unjudged 2: verifier_rejected", "partly_judged 0,1"]);
  });

  test("a deadline that cuts most comparisons returns every document, and says how many were not answered", async () => {
    const documents = Array.from({ length: 32 }, (_, i) => `${"long ".repeat(i)}text ${i}`);
    let asked = 0;
    const cut: Script = (shown, about) => (asked++ < 200 ? longest(shown, about) : { error: "deadline" });
    const reply = await replyOf(
      RERANKERS.cohere_v2.reply,
      await setUp({ script: cut }).post("/v2/rerank", { query: "The longest.", documents }),
    );
    expect(reply.results).toHaveLength(32);
    expect(indices(reply).slice(0, 3)).toContain(31);
    expect(reply.meta.warnings).toContain("cut_by_deadline: 296 of 496 comparisons were not answered in time");
  });

  test("a wrong body is 400 in all three dialects' words", async () => {
    const { post } = setUp();
    const cases: [unknown, string][] = [
      [{ query: "", documents: TEXTS }, "query"],
      [{ query: "q", documents: ["a", 5] }, "documents[1]"],
      [{ query: "q", documents: TEXTS, top_n: -1 }, "top_n"],
      [{ query: "q".repeat(LIMITS.prompt_bytes + 1), documents: TEXTS }, "query"],
    ];
    for (const [body, path] of cases) {
      const fault = await faultOf(await post("/v1/rerank", body), 400);
      expect(fault).toMatchObject({ code: "invalid_request", errors: [{ path }], error: { param: path } });
      expect(fault.message).toBe(fault.detail);
    }
  });
});

test("a reply whose log failed says so", async () => {
  const { post, runLog } = setUp();
  runLog.fault = new Error("down");
  const reply = await replyOf(RERANKERS.cohere_v2.reply, await post("/v2/rerank", cohereV2));
  expect(reply.meta.warnings).toEqual(["log_failed"]);
});
