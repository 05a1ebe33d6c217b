// Holds where the option letters' probabilities are read: behind the answer's last box, however the
// tokens cut it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SoftLetters } from "../../gpu-backend/gateway/engines/soft-letters.ts";

const LETTERS = ["A", "B"];
/**
 * A: 0.8, B: 0.2, in the shape of alternatives; `around` puts a token's other text about the
 * letter.
 */
const alternatives = (a = 0.8, around = (letter: string) => letter) => [
  { token: around("A"), logprob: Math.log(a) },
  { token: around("B"), logprob: Math.log(1 - a) },
];
const token = (text: string, top_logprobs: unknown = []) => ({ token: text, logprob: 0, top_logprobs });

function lettersOf(tokens: unknown[], answering = true): Record<string, number> | null {
  const soft = new SoftLetters(LETTERS);
  for (const each of tokens) soft.push([each], answering);
  return soft.letters;
}

describe("the letters' probabilities", () => {
  it("are found wherever the tokens before them were cut, and in one piece or many", () => {
    const before = "so the answer is \\boxed{";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: before.length - 1 })), fc.boolean(), (cuts, whole) => {
        const places = [0, ...[...new Set(cuts)].sort((a, b) => a - b), before.length];
        const tokens: unknown[] = places.slice(1).map((to, i) => token(before.slice(places[i], to)));
        tokens.push(token("A", alternatives()), token("}"));
        const soft = new SoftLetters(LETTERS);
        if (whole) soft.push(tokens, true);
        else for (const each of tokens) soft.push([each], true);
        expect(soft.letters?.A).toBeCloseTo(0.8, 12);
      }),
    );
  });

  it.each([
    [
      "a blank before the letter",
      [
        token("\\boxed{"),
        token(
          " A",
          alternatives(0.8, (l) => ` ${l}`),
        ),
      ],
    ],
    ["a blank of its own", [token("\\boxed{"), token(" ", alternatives(0.1)), token("A", alternatives())]],
    [
      "the brace in the letter's token",
      [
        token("\\boxed"),
        token(
          "{A",
          alternatives(0.8, (l) => `{${l}`),
        ),
      ],
    ],
    [
      "all in one token",
      [
        token(
          "\\boxed{A}",
          alternatives(0.8, (l) => `\\boxed{${l}}`),
        ),
      ],
    ],
    [
      "the closing brace in it",
      [
        token("\\boxed{"),
        token(
          "A}",
          alternatives(0.8, (l) => `${l}}`),
        ),
      ],
    ],
    ["a blank before the brace", [token("\\boxed"), token(" {"), token("A", alternatives())]],
    [
      "an earlier box",
      [token("\\boxed{"), token("B", alternatives(0.1)), token("} no: \\boxed{"), token("A", alternatives())],
    ],
  ])("are read with %s", (_, tokens) => {
    expect(lettersOf(tokens)?.A).toBeCloseTo(0.8, 12);
  });

  it.each([
    ["there is no box", [token("A", alternatives())]],
    ["the box is another command's", [token("\\mathrm{"), token("A", alternatives())]],
    ["thoughts close behind it", [token("\\boxed{"), token("A", alternatives()), token("</think>"), token("hm")]],
    [
      "another model's thoughts close behind it",
      [
        token("\\boxed{"),
        token("A", alternatives()),
        token("<|channel|>"),
        token("final"),
        token("<|message|>"),
        token("hm"),
      ],
    ],
    ["no letter is among the alternatives", [token("\\boxed{"), token("x", [{ token: "x", logprob: 0 }])]],
    ["the tokens have another shape", ["\\boxed{", null, 5, { token: "\\boxed{" }, token("A", [{ token: 1 }])]],
  ])("are null when %s", (_, tokens) => {
    expect(lettersOf(tokens)).toBeNull();
  });

  it("are never read from reasoning", () => {
    expect(lettersOf([token("\\boxed{"), token("A", alternatives())], false)).toBeNull();
  });

  it("are finite and sum to 1, whatever values an engine reports", () => {
    const value = fc.oneof(fc.double({ max: 1e-6, min: -9_999, noNaN: true }), fc.constantFrom(0, -9_999, 1e-9));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("A", "B", " A", " B", "C", "x"), value), { minLength: 1 }),
        (pairs) => {
          const top = pairs.map(([token, logprob]) => ({ token, logprob }));
          const letters = lettersOf([token("\\boxed{"), token("A", top)]);
          if (!pairs.some(([text]) => /^ ?[AB]$/.test(text))) {
            expect(letters).toBeNull();
            return;
          }
          expect(Object.keys(letters ?? {})).toEqual(LETTERS);
          expect((letters?.A ?? Number.NaN) + (letters?.B ?? Number.NaN)).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});
