// Holds that a candidate too long for the verifier loses in every contract and costs no other: no 422, no
// null, last in a ranking.
import { describe, expect, test } from "vitest";
import { OpenRlhfReplySchema } from "../../../src/api/tools/openrlhf.ts";
import { RERANKERS } from "../../../src/api/tools/shared/reranker-rows.ts";
import { failingOn, fenced, replyOf, setUp } from "./setup.ts";

const LONG = fenced(`1 # ${"x".repeat(60_000)}`);
const HONEST = [fenced("123"), fenced("12")];
const isLong = (text: string) => text.length > 50_000;
/** A verifier whose context ends before the long one. */
const script = failingOn(isLong, "context_exceeded");

test("OpenRLHF's whole group in one request", async () => {
  const { post } = setUp({ script });
  const texts = [LONG, ...HONEST];
  const query = texts.map((text) => `Sum it.${text}`);
  const reply = await post("/openrlhf/get_reward", { query, prompts: texts.map(() => "Sum it.") });
  expect((await replyOf(OpenRlhfReplySchema, reply)).rewards).toEqual([-1, 1, 0.5]);
  expect(reply.headers.get("x-kritai-warnings")).toBe("does_not_fit");
});

describe("rerank", () => {
  const rank = (documents: readonly string[], with_script = script) =>
    setUp({ script: with_script }).post("/v2/rerank", { model: "m", query: "q", documents });

  test.each([
    ["of three", ["short text", `long ${"x".repeat(60_000)}`, "a longer text"], [2, 0, 1], [1, 0.5, 0]],
    ["of two", [`long ${"x".repeat(60_000)}`, "short text"], [1, 0], [1, 0]],
    ["beyond max_chars", [`long ${"x".repeat(70_000)}`, "short text"], [1, 0], [1, 0]],
  ])("ranks it last, with a warning: %s", async (_, documents, order, scores) => {
    const response = await rank(documents);
    const { results, meta } = await replyOf(RERANKERS.cohere_v2.reply, response);
    expect(results.map(({ index }) => index)).toEqual(order);
    expect(results.map(({ relevance_score }) => relevance_score)).toEqual(scores);
    expect(meta.warnings).toEqual([`malformed ${order.at(-1) === 1 ? 1 : 0}`, "does_not_fit"]);
    expect(response.headers.get("x-kritai-warnings")).toBe(meta.warnings?.join("; "));
  });
});
