// Holds that an answer is the same whether its events are written the same, so that most need no parsing,
// or each its own way.
import { expect, it } from "vitest";
import { AnswerBuilder } from "../../src/core/wire/chat-answer.ts";
import fc from "../harness/property.ts";

const text = fc.oneof(
  fc.constantFrom("", "a", '"', "\\", '\\"', "\n", '","content":"x', '"}}],"error":1', "</think>", "é", "\u0000"),
  fc.string({ maxLength: 8 }),
);
/** So few that neighbours are often the same in one and not in the other. */
const few = fc.constantFrom("a", "b");
const delta = fc.oneof(
  { weight: 4, arbitrary: fc.record({ reasoning_content: text }) },
  { weight: 2, arbitrary: fc.record({ reasoning: text, content: fc.constant(null) }) },
  { weight: 4, arbitrary: fc.record({ content: text }) },
  { weight: 3, arbitrary: fc.record({ content: few, reasoning_content: few }) },
  { weight: 3, arbitrary: fc.record({ note: fc.record({ content: few }), content: few }) },
);
const chunk = fc.record(
  {
    delta,
    finish_reason: fc.constantFrom(null, null, null, null, "stop"),
    logprobs: fc.constantFrom(null, { tokens: ["a"], top_logprobs: [{ a: -1 }] }),
    usage: fc.constantFrom(undefined, undefined, undefined, { prompt_tokens: 3, completion_tokens: 40 }),
    error: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, null, { code: 503 }),
  },
  { requiredKeys: ["delta", "finish_reason"] },
);

/** The answer of these events, and what an observer heard, its escapes undone. */
function heard(events: readonly string[]) {
  const seen: unknown[] = [];
  const builder = new AnswerBuilder({
    text: (piece) => seen.push(piece.replace(/\\(?:u[0-9a-f]{4}|.)/gs, (one) => JSON.parse(`"${one}"`) as string)),
    logprobs: (tokens, answering) => seen.push([tokens, answering]),
  });
  const taken = events.findIndex((data) => !builder.event(data));
  return { result: builder.result(), pieces: builder.pieces, tokens: builder.tokens, taken, seen };
}

it("whatever the pieces hold", () => {
  const reasoned = { delta: { reasoning_content: "hm" }, finish_reason: null };
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 30 }), fc.boolean(), (chunks, spaced) => {
      const written = (id: (i: number) => string) =>
        [reasoned, ...chunks].map(({ usage, error, ...choice }: (typeof chunks)[number], i) =>
          JSON.stringify(
            { id: id(i), choices: [{ index: 0, ...choice }], usage, error },
            null,
            spaced ? 1 : 0,
          ).replaceAll("\n", ""),
        );
      expect(heard(written(() => "same"))).toEqual(heard(written((i) => `${i}`)));
    }),
    { numRuns: 2_000 },
  );
});
