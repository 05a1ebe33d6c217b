// Holds that reading a stream does not depend on how the network cut it, and that forgetting
// thinking never changes what a parser sees.

import { describe, expect, it } from "vitest";
import { parseLetter } from "../../src/core/judges/verdict.ts";
import { AnswerBuilder } from "../../src/core/wire/chat-answer.ts";
import { EventSplitter } from "../../src/core/wire/chat-stream.ts";
import { readBody } from "../../src/verifier/fan-out/read-body.ts";
import { chunk, event } from "../harness/mock-behaviours.ts";
import fc from "../harness/property.ts";

/** The data of all events when the bytes come cut at the given places. */
function split(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const got: string[] = [];
  const splitter = new EventSplitter((data) => {
    got.push(data);
    return true;
  });
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < places.length; i++) splitter.push(bytes.subarray(places[i - 1], places[i]));
  splitter.end();
  return got;
}

const encode = (text: string) => new TextEncoder().encode(text);

describe("events", () => {
  const eol = fc.constantFrom("\n", "\r\n");
  const data = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));

  it("are the same wherever the bytes are cut, with either line end and any comments", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(data, eol, fc.boolean())), fc.array(fc.nat()), (events, cuts) => {
        const text = events.map(
          ([d, end, comment]) => `${comment ? `: hi${end}${end}` : ""}id: 1${end}data: ${d}${end}${end}`,
        );
        expect(split(encode(text.join("")), cuts)).toEqual(events.map(([d]) => d));
      }),
    );
  });

  it("may have several data lines, no space after the colon, and no blank line at the end", () => {
    expect(split(encode("data:a\ndata: b\n\ndata: c"), [])).toEqual(["a\nb", "c"]);
  });

  it("lose a byte order mark where the stream begins and keep it as text elsewhere, wherever the bytes are cut", () => {
    const bytes = encode("\ufeffdata: a\n\n\ufeffdata: no field\n\ndata: \ufeffb\ndata:\ufeff\n\n");
    for (let cut = 0; cut <= bytes.length; cut++) expect(split(bytes, [cut])).toEqual(["a", "\ufeffb\n\ufeff"]);
    expect(split(bytes, [...bytes.keys()])).toEqual(["a", "\ufeffb\n\ufeff"]);
  });

  it("end the reading as soon as the taker has enough, and the stream is told", async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(encode("data: x\n\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    let taken = 0;
    await readBody(body, () => ++taken < 3);
    expect({ taken, cancelled }).toEqual({ taken: 3, cancelled: true });
  });
});

describe("long answers", () => {
  const filler = "so it goes; ".repeat(3000);

  it("say the same after their thinking was forgotten, however they were cut", () => {
    const part = fc.constantFrom("<think>", "</think>", filler, "\\boxed{A}", "x");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 16 }), fc.integer({ min: 3, max: 40_000 }), (parts, size) => {
        const text = parts.join("");
        const answer = new AnswerBuilder();
        for (let at = 0; at < text.length; at += size)
          answer.event(chunk({ content: text.slice(at, at + size) }).slice(6));
        answer.event("[DONE]");
        const got = answer.result().answer ?? "";
        expect(parseLetter(got, 2)).toEqual(parseLetter(text, 2));
      }),
      { numRuns: 60 },
    );
  });

  it("are not mistaken for reasoning by words inside the text", () => {
    const answer = new AnswerBuilder();
    answer.event(chunk({ reasoning: "r" }).slice(6));
    answer.event(chunk({ content: '"reasoning":"x" "finish_reason":null' }).slice(6));
    answer.event(event({ choices: [{ delta: { reasoning: "r", content: "y" }, finish_reason: null }] }).slice(6));
    answer.event(event({ choices: [{ delta: { reasoning: '"content":"no"' }, finish_reason: null }] }).slice(6));
    answer.event(event({ choices: [{ delta: { content: null, reasoning: "r" }, finish_reason: "length" }] }).slice(6));
    expect(answer.result()).toMatchObject({
      answer: '"reasoning":"x" "finish_reason":nully',
      thinking: "closed",
      finish_reason: "length",
    });
  });
});
