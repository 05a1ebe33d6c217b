// The text of simulated answers: what the project's own parsers read out of them, and that pieces
// make up the whole.

import { describe, expect, test } from "vitest";
import { logprobsOf, writeAnswer } from "../../../gpu-backend/engines/simulator/answer.ts";
import type { Draw, Ending } from "../../../gpu-backend/engines/simulator/noise.ts";
import { templateTail } from "../../../gpu-backend/engines/simulator/tail.ts";
import { softVerdict } from "../../../src/core/judges/logprobs.ts";
import { parseLetter, parseScores } from "../../../src/core/judges/verdict.ts";
import fc from "../../harness/property.ts";

const draw = (over: Partial<Draw> = {}): Draw => ({
  choice: 1,
  levels: [0.2, 0.9],
  scores: [2, 9],
  box_logprobs: [Math.log(0.2), Math.log(0.8)],
  ending: "box",
  thinking_tokens: 100,
  loops: false,
  ...over,
});
const write = (over: Partial<Draw>, form: "exact_match" | "scores" = "exact_match", tokensMax = 1_000, tags = true) =>
  writeAnswer({ draw: draw(over), tail: templateTail(draw(over), form), seed: 5, tokensMax, tags });
const textOf = (answer: ReturnType<typeof write>, from = 0, to = answer.tokens) => {
  const { thinking, content } = answer.text(from, to);
  return thinking + content;
};

test.each([
  ["box", "ok", "ok"],
  ["no_box", "no_box", "no_box"],
  ["two_boxes", "ambiguous", "ambiguous"],
  ["bad_content", "bad_content", "bad_content"],
] as [Ending, string, string][])("an answer that ends in %s parses as %s", (ending, letter, scores) => {
  for (const choice of [0, 1]) expect(parseLetter(textOf(write({ ending, choice })), 2).status).toBe(letter);
  expect(parseScores(textOf(write({ ending }, "scores")), 2).status).toBe(scores);
});

test("the letter and the scores read are those drawn", () => {
  expect(parseLetter(textOf(write({ choice: 1 })), 2).letter).toBe("B");
  expect(parseScores(textOf(write({}, "scores")), 2).scores).toEqual([2, 9]);
});

test("an answer cut by its budget has that many tokens, finish reason length, and no verdict", () => {
  const whole = write({});
  expect(whole.finish_reason).toBe("stop");
  for (const tokensMax of [1, 2, 50, 103, 104, whole.tokens - 1]) {
    const cut = write({}, "exact_match", tokensMax);
    expect([cut.tokens, cut.finish_reason]).toEqual([tokensMax, "length"]);
    expect(parseLetter(textOf(cut), 2).status).not.toBe("ok");
    expect(textOf(whole).startsWith(textOf(cut))).toBe(true);
  }
  expect(parseLetter(textOf(write({}, "exact_match", 50)), 2).status).toBe("unclosed_think");
});

test("a loop repeats one phrase until the budget ends, and ordinary thinking has no long repeat", () => {
  const loop = write({ loops: true }, "exact_match", 2_000);
  expect([loop.tokens, loop.finish_reason]).toEqual([2_000, "length"]);
  const period = 48;
  const body = textOf(loop).slice(20);
  expect(body.slice(period)).toBe(body.slice(0, -period));

  const thinking = textOf(write({ thinking_tokens: 8_000 }, "exact_match", 20_000));
  const windows = new Set<string>();
  for (let at = 0; at + 256 <= thinking.length; at += 64) windows.add(thinking.slice(at, at + 256));
  expect(windows.size).toBe(Math.floor((thinking.length - 256) / 64) + 1);
});

test("any cut into pieces gives the whole text, thinking before content", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 150 }),
      fc.boolean(),
      (sizes, tags, tokensMax, loops) => {
        const answer = write({ loops }, "exact_match", tokensMax, tags);
        let [at, thinking, content] = [0, "", ""];
        for (const size of [...sizes, answer.tokens]) {
          const piece = answer.text(at, Math.min(at + size, answer.tokens));
          if (piece.thinking !== "") expect(content).toBe("");
          thinking += piece.thinking;
          content += piece.content;
          at = Math.min(at + size, answer.tokens);
        }
        expect({ thinking, content }).toEqual(answer.text(0, answer.tokens));
      },
    ),
  );
});

describe("log probabilities", () => {
  test("at the option letter they are the draw's, for the soft verdict to read", () => {
    const answer = write({});
    const at = answer.label_at as number;
    const [entry] = logprobsOf(answer, at, at + 1, 5);
    expect(entry?.token).toBe("B");
    expect(textOf(answer, at - 1, at)).toBe("{");
    const seen = new Map(entry?.top_logprobs.map(({ token, logprob }) => [token, logprob]));
    const soft = softVerdict(seen, 2);
    expect(soft?.argmax).toBe(1);
    expect(soft?.distribution[1]).toBeCloseTo(0.8, 9);
  });

  test("each token has one entry with its text and bytes, at most `top` alternatives in order, and no more mass than 1", () => {
    const answer = write({});
    const list = logprobsOf(answer, 0, answer.tokens, 20);
    expect(list.map(({ token }) => token).join("")).toBe(textOf(answer));
    for (const { token, logprob, bytes, top_logprobs } of list) {
      expect(new TextDecoder().decode(new Uint8Array(bytes))).toBe(token);
      expect(top_logprobs.length).toBeLessThanOrEqual(20);
      expect(top_logprobs.map((one) => one.token)).toContain(token);
      const mass = top_logprobs.reduce((sum, one) => sum + Math.exp(one.logprob), 0);
      expect(mass).toBeLessThanOrEqual(1);
      expect(logprob).toBeLessThanOrEqual(0);
    }
    expect(logprobsOf(answer, 0, 3, 0).every(({ top_logprobs }) => top_logprobs.length === 0)).toBe(true);
  });

  test("an answer without a readable box has no option letter", () => {
    expect(write({ ending: "no_box" }).label_at).toBeNull();
    expect(write({}, "scores").label_at).toBeNull();
    expect(write({}, "exact_match", 50).label_at).toBeNull();
  });
});
