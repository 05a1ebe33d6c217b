// Holds where the labels' probabilities are read: at the answer's last label, however the tokens cut it; and
// that other values than log probabilities are reported.

import { describe, expect, it, test } from "vitest";
import { promptOf } from "../../lab/templates/index.ts";
import { anchorFor } from "../../src/core/judges/anchors.ts";
import { boxAnchor } from "../../src/core/judges/parsers/boxed.ts";
import type { Anchor } from "../../src/core/judges/parsers/parser.ts";
import { SoftReader } from "../../src/core/judges/soft-reader.ts";
import fc from "../harness/property.ts";

const BOX = boxAnchor(["A", "B"]);
/**
 * A: 0.8, B: 0.2, in the shape of alternatives; `around` puts a token's other text about the
 * letter.
 */
const alternatives = (a = 0.8, around = (letter: string) => letter) => [
  { token: around("A"), logprob: Math.log(a) },
  { token: around("B"), logprob: Math.log(1 - a) },
];
const token = (text: string, top_logprobs: unknown = []) => ({ token: text, logprob: 0, top_logprobs });

function readerOf(tokens: readonly unknown[], anchor: Anchor = BOX, answering = true): SoftReader {
  const soft = new SoftReader(anchor);
  for (const each of tokens) soft.logprobs([each], answering);
  return soft;
}
const lettersOf = (tokens: readonly unknown[], anchor = BOX) => readerOf(tokens, anchor).labels?.letters ?? null;

/** A text cut at places. */
function cutAt(text: string, cuts: readonly number[]) {
  const places = [0, ...[...new Set(cuts)].sort((a, b) => a - b), text.length];
  return places.slice(1).map((to, i) => token(text.slice(places[i], to)));
}

describe("the labels' probabilities", () => {
  it.each([
    ["so the answer is \\boxed{", BOX],
    ["I take [[", anchorFor("mtbench-ab", 2)],
    ["<eval>fine</eval>\n<answer>[[", anchorFor(promptOf("rm-r1"), 2)],
    ["--- Final Judgment ---\nWinner: Response ", anchorFor(promptOf("rubric-rm"), 2)],
    ["**Reasoning:** r\n**Result:** ", anchorFor(promptOf("selene-pair"), 2)],
    ["Feedback: f [RESULT] ", anchorFor(promptOf("prometheus-pair"), 2)],
  ])("are found wherever the tokens of %j were cut, and in one piece or many", (before, anchor) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: before.length - 1 })), fc.boolean(), (cuts, whole) => {
        const tokens = [...cutAt(before, cuts), token("A", alternatives()), token("]]}</answer>")];
        const soft = new SoftReader(anchor as Anchor);
        if (whole) soft.logprobs(tokens, true);
        else for (const each of tokens) soft.logprobs([each], true);
        // For a tie's letter, which was not seen, some 1e-9 is taken.
        expect(soft.labels?.letters.A).toBeCloseTo(0.8, 8);
        expect(soft.labels).toMatchObject({ coverage: expect.closeTo(1, 12), written: "A" });
      }),
    );
  });

  const spaced = alternatives(0.8, (l) => ` ${l}`);
  const braced = alternatives(0.8, (l) => `{${l}`);
  const boxed = alternatives(0.8, (l) => `\\boxed{${l}}`);
  const closed = alternatives(0.8, (l) => `${l}}`);
  it.each([
    ["a blank before the letter", [token("\\boxed{"), token(" A", spaced)]],
    ["a blank of its own", [token("\\boxed{"), token(" ", alternatives(0.1)), token("A", alternatives())]],
    ["the brace in the letter's token", [token("\\boxed"), token("{A", braced)]],
    ["all in one token", [token("\\boxed{A}", boxed)]],
    ["the closing brace in it", [token("\\boxed{"), token("A}", closed)]],
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
    ["the tokens have another shape", ["\\boxed{", null, 5, { token: "\\boxed{" }, token("A", alternatives())]],
  ])("are null when %s", (_, tokens) => {
    expect(lettersOf(tokens)).toBeNull();
  });

  it("are never read from reasoning", () => {
    expect(readerOf([token("\\boxed{"), token("A", alternatives())], BOX, false).labels).toBeNull();
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
          expect(Object.keys(letters ?? {})).toEqual(["A", "B"]);
          expect((letters?.A ?? Number.NaN) + (letters?.B ?? Number.NaN)).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  test("cover what every token that says a label has, as the golden mass does", () => {
    // By Python: exp(-0.9) + exp(-1.2) + exp(-3) + exp(-2.5), and the better of each letter's alone.
    const [mass, share] = [0.839635938644564, 0.8320183851339245];
    const top = { " A": -0.9, A: -1.2, "A}": -3, " B": -2.5, the: -3 };
    const { labels } = readerOf([
      token("\\boxed{"),
      token(
        " A",
        Object.entries(top).map(([text, logprob]) => ({ token: text, logprob })),
      ),
    ]);
    expect(labels?.coverage).toBeCloseTo(mass, 12);
    expect(labels?.letters.A).toBeCloseTo(share, 12);
  });

  test("cover no less than any parts of them, and no more than 1", () => {
    const tokens = fc.uniqueArray(fc.constantFrom("A", " A", "A}", " A}", "B", " B", "B}", "the"), { minLength: 1 });
    const weight = fc.double({ min: 1e-6, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        tokens.chain((texts) =>
          fc.tuple(fc.constant(texts), fc.array(weight, { minLength: texts.length, maxLength: texts.length })),
        ),
        ([texts, weights]) => {
          const whole = weights.reduce((sum, one) => sum + one, 0);
          const top = texts.map((text, i) => ({ token: text, logprob: Math.log((weights[i] as number) / whole) }));
          const said = texts.flatMap((text, i) => (text === "the" ? [] : [(weights[i] as number) / whole]));
          const labels = readerOf([token("\\boxed{"), token("A", top)]).labels;
          if (said.length === 0) expect(labels).toBeNull();
          else
            expect(labels?.coverage).toBeCloseTo(
              said.reduce((sum, one) => sum + one, 0),
              9,
            );
          expect(labels?.coverage ?? 0).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test("of an answer that begins with its label are those of the first token that is a word, behind the thoughts", () => {
    const anchor = { labels: ["yes", "no"] };
    const top = [
      { token: "Yes", logprob: Math.log(0.6) },
      { token: " yes", logprob: Math.log(0.1) },
      { token: "No", logprob: Math.log(0.2) },
      { token: "I", logprob: Math.log(0.1) },
    ];
    const thought = [token("<think>"), token("no", [{ token: "no", logprob: 0 }]), token("</think>"), token("\n\n")];
    for (const before of [[], [token(" "), token("**")], thought]) {
      const { labels } = readerOf([...before, token("Yes", top), token(".", [{ token: ".", logprob: 0 }])], anchor);
      expect(labels?.letters.yes).toBeCloseTo(0.75, 12);
      expect(labels).toMatchObject({ coverage: expect.closeTo(0.9, 12), written: "yes" });
    }
  });

  test("of a word in several tokens are those of its beginning, where no other label begins so", () => {
    const anchor = anchorFor(promptOf("xverify"), 1) as Anchor;
    const top = [
      { token: "Inc", logprob: Math.log(0.3) },
      { token: "Correct", logprob: Math.log(0.6) },
    ];
    expect(lettersOf([token("Inc", top), token("orrect")], anchor)?.Incorrect).toBeCloseTo(1 / 3, 12);
  });
});

describe("what an engine must not return", () => {
  it.each([
    ["a log probability above 0 by more than rounding", [{ token: "A", logprob: 0.7 }]],
    ["a value that is none", [{ token: "A", logprob: null }]],
    ["NaN", [{ token: "A", logprob: Number.NaN }]],
    ["an alternative without its text", [{ logprob: -1 }]],
    [
      "probabilities that exceed 1 together",
      [
        { token: "A", logprob: -0.1 },
        { token: "B", logprob: -0.1 },
      ],
    ],
  ])("is told: %s", (_, top) => {
    expect(readerOf([token("\\boxed{"), token("A", top)]).wrong).toBe(true);
    expect(readerOf([token("\\boxed{"), token("A", alternatives())]).wrong).toBe(false);
  });

  it("is silence: no token with alternatives", () => {
    expect(readerOf([token("\\boxed{"), token("A"), token("}")]).silent).toBe(true);
    expect(readerOf([token("\\boxed{"), token("A", alternatives())]).silent).toBe(false);
  });
});
