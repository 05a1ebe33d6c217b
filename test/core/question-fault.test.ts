// Holds what servers say when a question is too long or filtered, each in its own words, and that
// nothing else reads so.
import { describe, expect, test } from "vitest";
import { questionFault, REASON_CHARS } from "../../src/core/faults/question-fault.ts";
import { TOO_LONG } from "../harness/engine-refusals.ts";
import { lines } from "../harness/vector-lines.ts";

const error = (fields: Record<string, unknown>) => JSON.stringify({ error: fields });

const FILTERED: readonly (readonly [string, number, string])[] = [
  ["Azure", 400, error({ code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } })],
  ["OpenAI", 400, error({ code: "content_policy_violation" })],
  ["Alibaba", 400, error({ code: "data_inspection_failed", message: "Input data may contain inappropriate content." })],
  ["DeepSeek", 400, error({ message: "Content Exists Risk" })],
  ["OpenRouter", 403, error({ message: "The model requires moderation, and your input was flagged." })],
];

/** Replies of gateways whose upstream failed, and refusals that look alike, one case a line. */
const UPSTREAM = lines<{ id: string; status: number; body: unknown; sent?: string; code: string }>("refusals.jsonl");

describe("a refusal's code", () => {
  test.each(TOO_LONG)("context_exceeded: %s", (_, status, body) => {
    expect(questionFault(status, body)).toBe("context_exceeded");
  });
  test.each(FILTERED)("content_filtered: %s", (_, status, body) => {
    expect(questionFault(status, body)).toBe("content_filtered");
  });
  test.each([
    [400, error({ message: "top_p must be in (0, 1]" })],
    [400, error({ message: "max_tokens must be at least 1, got 0" })],
    [400, ""],
    [400, `${" ".repeat(REASON_CHARS)}an echo of the question: maximum context length`],
  ])("verifier_rejected: %i %s", (status, body) => {
    expect(questionFault(status, body)).toBe("verifier_rejected");
  });

  test("a gateway's 4xx for a failed upstream passes, a question's does not, an operator's is named", () => {
    const wrong = UPSTREAM.flatMap(({ id, status, body, sent = "", code }) => {
      const got = questionFault(status, typeof body === "string" ? body : JSON.stringify(body), sent);
      return got === code ? [] : [`${id}: ${got} instead of ${code}`];
    });
    expect(wrong).toEqual([]);
  });
});
