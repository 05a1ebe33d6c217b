// Holds what an onlooker of a streamed answer sees, and how an answer may be ended before its time.

import { describe, expect, it } from "vitest";
import { parseLetter } from "../../src/core/judges/verdict.ts";
import { AnswerBuilder } from "../../src/core/wire/chat-answer.ts";
import { chunk, event } from "../harness/mock-behaviours.ts";
import fc from "../harness/property.ts";

const data = (text: string) => text.slice("data: ".length).trimEnd();

describe("the observer", () => {
  it("sees every piece of text, thoughts included, once and in order; reasoning perhaps escaped as in JSON", () => {
    const piece = fc.record({
      kind: fc.constantFrom("reasoning", "reasoning_content", "content"),
      text: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const seen: string[] = [];
        const answer = new AnswerBuilder({ text: (text) => void seen.push(text) });
        for (const { kind, text } of pieces) answer.event(data(chunk({ [kind]: text })));
        expect(seen).toHaveLength(pieces.length);
        seen.forEach((text, i) => {
          const own = pieces[i]?.text as string;
          expect([own, JSON.stringify(own).slice(1, -1)]).toContain(text);
        });
        expect(answer.pieces).toBe(pieces.length);
      }),
    );
  });

  it("gets the tokens of a piece, and whether they belong to the answer", () => {
    const got: [readonly unknown[], boolean][] = [];
    const answer = new AnswerBuilder({ text: () => {}, logprobs: (...args) => void got.push(args) });
    const withTokens = (delta: object, ...content: number[]) =>
      data(event({ choices: [{ delta, logprobs: { content }, finish_reason: null }] }));
    answer.event(withTokens({ reasoning: "r" }, 1));
    answer.event(withTokens({ reasoning: "r", content: "x" }, 2, 3));
    answer.event(withTokens({ content: "x" }, 4));
    expect(got).toEqual([
      [[1], false],
      [[2, 3], true],
      [[4], true],
    ]);
  });
});

describe("ending an answer early", () => {
  it("keeps what came, with the reason and the tokens counted so far", () => {
    const answer = new AnswerBuilder();
    for (const text of ["a", "b", "c"]) answer.event(data(chunk({ content: text })));
    answer.cut("repetition");
    expect(answer.engineFailed).toBe(false);
    expect(answer.result()).toMatchObject({
      answer: "abc",
      finish_reason: "repetition",
      completion_tokens: 3,
      error: null,
    });
  });

  it.each([
    ["that said it aborted", [chunk({ content: "x" }, "abort")], true],
    ["that reported a fault of its own", [chunk({ content: "x" }), event({ error: { code: 500 } })], true],
    ["whose reply just ended", [chunk({ content: "x" })], true],
    ["that said it is too busy", [chunk({ content: "x" }), event({ error: { code: 429 } })], true],
    ["that refused the question", [event({ error: { code: 400 } })], false],
    ["that finished", [chunk({ content: "x" }, "stop")], false],
    ["whose reply is no JSON", ["data: {\n\n"], false],
  ])("is told apart from an engine %s", (_, events, failed) => {
    const answer = new AnswerBuilder();
    for (const each of events) answer.event(data(each));
    expect(answer.engineFailed).toBe(failed);
  });
});

describe("a long answer in one text with its thoughts", () => {
  const long = "I compare the two once more. ".repeat(500);
  const read = (pieces: readonly string[]) => {
    const answer = new AnswerBuilder();
    for (const content of pieces) answer.event(data(chunk({ content })));
    answer.cut("stop");
    return answer.result().answer ?? "";
  };

  it.each([
    ["<think>", "</think>"],
    ["[THINK]", "[/THINK]"],
    ["<thinking>", "</thinking>"],
    ["<|channel>thought\n", "<channel|>"],
    ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
  ])("forgets what stands between %s and %s, and still knows whether it is open", (open, close) => {
    const thoughts = [open, "\\boxed{A}", ...new Array<string>(12).fill(long)];
    const ended = read([...thoughts, ...close, long, "\\boxed{B}"]);
    expect(parseLetter(ended, 2)).toMatchObject({ status: "ok", letter: "B" });
    expect(parseLetter(read(thoughts), 2).status).toBe("unclosed_think");
    expect(read(thoughts).length).toBeLessThan(80_000);
    expect(read([...thoughts, ...thoughts.slice(2), ...thoughts.slice(2)]).length).toBeLessThan(2 * 65_536);
  });
});

describe("what an answer is worth", () => {
  it("is nothing where the server's own filter cut it: that is a question refused, not one judged", () => {
    const answer = new AnswerBuilder();
    answer.event(data(chunk({ content: "\\boxed{A}" }, "content_filter")));
    expect(answer.result()).toMatchObject({ answer: null, error: "content_filtered" });
    expect(answer.engineFailed).toBe(false);
  });

  it.each([[-3], [Number.MAX_SAFE_INTEGER], ["many"], [0.5]])(
    "does not hang on a usage of %j, which counts as 0",
    (count) => {
      const answer = new AnswerBuilder();
      answer.event(data(chunk({ content: "x" }, "stop")));
      answer.event(data(event({ choices: [], usage: { prompt_tokens: count, completion_tokens: count } })));
      expect(answer.result()).toMatchObject({ answer: "x", error: null, prompt_tokens: 0, completion_tokens: 0 });
    },
  );
});
