// The guarantees of POST /rerank: which of its two dialects a body speaks, and each one's reply and errors.
import { describe, expect, test } from "vitest";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { unconfiguredVerifier } from "../../../src/verifier/unconfigured.ts";
import * as examples from "./examples.ts";
import { faultOf, PROGRAMS, replyOf, setUp } from "./setup.ts";

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

  test("and a deployment without a verifier is unhealthy", async () => {
    const { post } = setUp({ verifier: unconfiguredVerifier("VERIFIER_URL") });
    expect(await faultOf(await post("/rerank", tei), 503)).toMatchObject({ error_type: "unhealthy" });
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
});
