// The guarantees of POST /rerank: which of its two dialects a body speaks, and each one's reply and errors.
import { describe, expect, test } from "vitest";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { unconfiguredVerifier } from "../../../src/verifier/unconfigured.ts";
import * as examples from "./examples.ts";
import { failing, failingOn, faultOf, PROGRAMS, replyOf, setUp, TEXTS } from "./setup.ts";

const tei = { query: "Sum it.", texts: PROGRAMS, truncate: true, truncation_direction: "right", raw_scores: false };

describe("a body with texts is TEI's", () => {
  test("and is answered with a bare array, best first", async () => {
    const { post } = setUp();
    const bare = [
      { index: 1, score: 1 },
      { index: 2, score: 0.5 },
      { index: 0, score: 0 },
    ];
    expect(await replyOf(RERANKERS.tei.reply, await post("/rerank", tei))).toEqual(bare);
    expect(await replyOf(RERANKERS.tei.reply, await post("/rerank", { ...tei, return_text: true }))).toEqual(
      bare.map((result) => ({ ...result, text: PROGRAMS[result.index] })),
    );
    expect(await replyOf(RERANKERS.tei.reply, await post("/rerank", examples.tei))).toHaveLength(2);
  });

  test("a text that could not be judged is left out where the client says so, and a header names it", async () => {
    const { post } = setUp({ script: failingOn((text) => text === "two now", "verifier_bad_reply") });
    const response = await post("/rerank", { ...tei, texts: TEXTS, kritai: { on_incomplete: "leave_out" } });
    expect(response.headers.get("x-kritai-warnings")).toBe("not_judged 2: verifier_bad_reply; partly_judged 0,1");
    expect((await replyOf(RERANKERS.tei.reply, response)).map(({ index }) => index)).toEqual([1, 0]);
  });

  test("and its errors are TEI's statuses and words, error being a text", async () => {
    const many = Array.from({ length: 65 }, (_, i) => `${i}`);
    const cases: [world: ReturnType<typeof setUp>, body: object, status: number, type: string][] = [
      [setUp(), { ...tei, texts: [] }, 400, "empty"],
      [setUp(), { ...tei, texts: many }, 422, "validation"],
      [setUp(), { texts: TEXTS }, 422, "validation"],
      [setUp({ script: failing("verifier_unavailable") }), tei, 424, "backend"],
      [setUp({ script: failing("verifier_overloaded") }), tei, 429, "overloaded"],
      [setUp({ verifier: unconfiguredVerifier("VERIFIER_URL") }), tei, 503, "unhealthy"],
    ];
    for (const [{ post }, body, status, type] of cases) {
      const fault = await faultOf(await post("/rerank", body), status);
      expect(fault).toMatchObject({ error_type: type, error: fault.detail });
    }
  });
});

describe("a body with documents is vLLM's", () => {
  test("and is answered with its object, documents always included", async () => {
    const body = { model: "rm", query: "Sum it.", documents: PROGRAMS, top_n: 1, softmax: true };
    const reply = await replyOf(RERANKERS.vllm.reply, await setUp().post("/rerank", body));
    expect(reply).toMatchObject({ model: "rm", usage: { prompt_tokens: 30, total_tokens: 36 } });
    const document = { text: PROGRAMS[1], multi_modal: null };
    expect(reply.results).toEqual([{ index: 1, relevance_score: 1, document }]);
  });

  test("and its errors are vLLM's error object, as those of a body that is neither's", async () => {
    const { post } = setUp({ script: failing("verifier_unavailable") });
    const failed = await faultOf(await post("/rerank", { query: "q", documents: TEXTS }), 503);
    expect(failed.error).toMatchObject({ type: "ServiceUnavailableError", code: 503 });
    const neither = await faultOf(await post("/rerank", { query: "q" }), 400);
    expect(neither.error).toMatchObject({ type: "BadRequestError", code: 400, param: "documents" });
  });
});
