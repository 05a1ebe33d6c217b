// Holds what vLLM and SGLang are asked beyond OpenAI's fields, and what it is good for: exact token
// counts of what was cut, priorities where the engine knows them.
import { describe, expect, it } from "vitest";
import { chunk, answer as fine, stall, status } from "../harness/mock-behaviours.ts";
import type { MockBody } from "../harness/mock-verifier.ts";
import { callWith, withPool } from "./engine-setup.ts";

/** A chunk of many tokens, with the count so far as vLLM sends it when asked. */
const counted = (delta: Record<string, unknown>, completion_tokens: number) => {
  const usage = { prompt_tokens: 9, total_tokens: 9 + completion_tokens, completion_tokens };
  const event = JSON.parse(chunk(delta).slice("data: ".length)) as object;
  return `data: ${JSON.stringify({ ...event, usage })}\n\n`;
};

describe("an engine's kind", () => {
  it.each([
    ["vllm", true],
    ["sglang", true],
    ["other", false],
    [null, false],
  ] as const)("%s: asked to count tokens in every chunk: %s", async (kind, asked) => {
    await withPool(
      () => fine("\\boxed{A}"),
      async (pool, [mock]) => {
        await pool.generate(callWith({ priority: 3 }));
        const options = { include_usage: true, ...(asked && { continuous_usage_stats: true }) };
        expect(mock?.log[0]?.body.stream_options).toEqual(options);
        expect(mock?.log[0]?.body.priority).toBe(asked ? 3 : undefined);
      },
      { kind },
    );
  });

  it.each([
    ["reasoning", "reasoning"],
    ["reasoning_content", "reasoning_content"],
    ["an answer", "content"],
  ])("counts %s that is cut to the token, though a chunk holds many", async (_, field) => {
    const texts = ["sixteen tokens", "and sixteen more", '"usage":{"completion_tokens":999}'];
    const parts = [counted({ role: "assistant", content: "" }, 0)];
    for (const [at, text] of texts.entries()) parts.push(counted({ [field]: text }, 16 * (at + 1)));
    await withPool(
      () => stall(parts),
      async (pool) => {
        const cut = await pool.generate(callWith({ max_tokens: 40 }));
        expect(cut).toMatchObject({ finish_reason: "length", completion_tokens: 48 });
      },
      { kind: "vllm" },
    );
  });
});

describe("a priority", () => {
  const unknown = () => status(400, {}, { message: "Got priority -10 but Priority scheduling is not enabled." });
  const strict = ({ body }: { body: MockBody }) => ("priority" in body ? unknown() : fine("\\boxed{A}"));

  it("is left out for good where the engine knows none, and costs no question its answer", async () => {
    await withPool(
      strict,
      async (pool, [mock]) => {
        for (let i = 0; i < 3; i++) {
          expect(await pool.generate(callWith({ priority: -10 }))).toMatchObject({ answer: "\\boxed{A}", error: null });
        }
        expect(mock?.log.map(({ body }) => body.priority)).toEqual([-10, undefined, undefined, undefined]);
      },
      { kind: "vllm" },
    );
  });

  it("that is not what an engine refuses a question for is kept", async () => {
    await withPool(
      () => status(400, {}, { message: "bad question" }),
      async (pool, [mock]) => {
        for (let i = 0; i < 2; i++) await pool.generate(callWith({ priority: -10 }));
        expect(mock?.log.map(({ body }) => body.priority)).toEqual([-10, -10]);
      },
      { kind: "vllm" },
    );
  });
});
