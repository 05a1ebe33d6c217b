// The guarantees of the robust parser beyond the golden vectors: properties, score lists, hostile texts.

import { describe, expect, it } from "vitest";
import { parseLetter, parseScores } from "../../src/core/judges/verdict.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import fc from "../harness/property.ts";

const FRAGMENTS = [
  "<think>",
  "</think>",
  "\\boxed",
  "\\boxed{",
  "{",
  "}",
  "[",
  "]",
  "A",
  "b",
  "Z",
  "**",
  "$",
  "\\text{",
  "\n",
  "7",
  ",",
  " ",
  "\u0301",
  "Ｂ",
  ".",
];
const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join("")),
);
const k = fc.integer({ min: 2, max: 26 });

const LAYERS: ((inner: string) => string)[] = [
  (s) => `\\text{${s}}`,
  (s) => `\\mathbf{ ${s} }`,
  (s) => `{${s}}`,
  (s) => `[[${s}]]`,
  (s) => `(${s})`,
  (s) => `**${s}**`,
  (s) => `\`${s}\``,
  (s) => `$${s}$`,
  (s) => `"${s}"`,
  (s) => `\u201c${s}\u201d`,
];

describe("parseLetter", () => {
  it("never throws, and gives a letter below k exactly when it is ok", () => {
    fc.assert(
      fc.property(hostileText, k, (text, candidates) => {
        const { status, letter, index } = parseLetter(text, candidates);
        expect(index !== null).toBe(status === "ok");
        expect(letter === null).toBe(index === null);
        if (index === null) return;
        expect(index).toBeGreaterThanOrEqual(0);
        expect(index).toBeLessThan(candidates);
        expect(letter).toBe(String.fromCharCode(65 + index));
      }),
      { numRuns: 2000 },
    );
  });

  it("reads a letter through up to four layers of wrapping, in either case", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...LAYERS), { maxLength: 4 }),
        fc.integer({ min: 0, max: 25 }),
        fc.constantFrom("", "Candidate ", "OPTION_", "answer: "),
        fc.boolean(),
        (layers, index, word, lower) => {
          const letter = String.fromCharCode((lower ? 97 : 65) + index);
          const inner = layers.reduce((text, wrap) => wrap(text), word + letter);
          expect(parseLetter(`<think>no</think>so \\boxed{${inner}}.`, 26)).toMatchObject({ status: "ok", index });
        },
      ),
    );
  });

  it.each([
    ["five layers are too many", "\\boxed{{{{{{B}}}}}}", "bad_content", null],
    ["a box that is no letter is ignored beside one that is", "\\boxed{42} \\boxed{B}", "ok", "B"],
    ["spellings of one letter agree", "\\boxed{b} and \\boxed{(B)}", "ok", "B"],
    ["a letter beyond k still contradicts", "\\boxed{X} \\boxed{B}", "ambiguous", null],
    ["boxes before an unbalanced one count", "\\boxed{A} \\boxed{B", "ok", "A"],
    ["nothing behind an unbalanced box counts", "\\boxed{ \\boxed{B}", "no_box", null],
    [
      "only the text behind the last closing tag is read",
      "<think>\\boxed{A}</think>\\boxed{A}</think>\\boxed{B}",
      "ok",
      "B",
    ],
    ["reopened thoughts are unclosed", "<think>a</think>\\boxed{B}<think>", "unclosed_think", null],
    ["a word alone is no letter", "\\boxed{Candidate}", "bad_content", null],
    ["a boxed command with a longer name is no box", "\\boxedtext{B}", "no_box", null],
    ["line ends may stand before the brace", "\\boxed\n{B}", "ok", "B"],
  ])("%s", (_, text, status, letter) => {
    expect(parseLetter(text, 3)).toMatchObject({ status, letter });
  });
});

describe("thinking in other models' tags", () => {
  const TAGS: readonly (readonly [string, string])[] = [
    ["<think>", "</think>"],
    ["<THINK>", "</THINK>"],
    ["<Think>", "</Think>"],
    ["<thinking>", "</thinking>"],
    ["<thought>", "</thought>"],
    ["<seed:think>", "</seed:think>"],
    ["[THINK]", "[/THINK]"],
    ["\u25c1think\u25b7", "\u25c1/think\u25b7"],
    ["<|begin_of_thought|>", "<|end_of_thought|>"],
    ["<|START_THINKING|>", "<|END_THINKING|>"],
    ["<|channel>thought\n", "<channel|>"],
    ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
    ["analysis", "assistantfinal"],
  ];

  it.each(TAGS)("%s is never read", (open, close) => {
    expect(parseLetter(`${open}\\boxed{A}${close}\\boxed{B}`, 2)).toMatchObject({ status: "ok", letter: "B" });
    expect(parseScores(`${open}\\boxed{[9,1]}${close}\\boxed{[1,9]}`, 2)).toEqual({ status: "ok", scores: [1, 9] });
    expect(parseLetter(`${open}\\boxed{A}${close}Candidate B`, 2).status).toBe("no_box");
    if (open === "analysis") return;
    expect(parseLetter(`${open}\\boxed{A}`, 2).status).toBe("unclosed_think");
    expect(parseLetter(`${open}a${close}\\boxed{A} ${open}`, 2).status).toBe("unclosed_think");
  });

  it("quoted behind the verdict does not move it", () => {
    for (const [, close] of TAGS.slice(1)) {
      expect(parseLetter(`<think>a</think>\\boxed{B} for it says ${close}\\boxed{A}`, 2).letter).not.toBe("A");
      expect(parseLetter(`\\boxed{B} for it says ${close}\\boxed{A}`, 2).letter).not.toBe("A");
    }
  });

  it("a word of a thought is no tag of it", () => {
    expect(parseLetter("<think>[THINK] <thinking> </thinking> \\boxed{A}", 2).status).toBe("unclosed_think");
    expect(parseLetter("<think>[THINK] <thinking></think>\\boxed{B}", 2).letter).toBe("B");
    expect(parseLetter("<thinking>a</think>\\boxed{B}", 2).letter).toBe("B");
    expect(parseLetter("List<Thinking> state[THINK] \\boxed{B}", 2).letter).toBe("B");
  });
});

it.each([
  "mathtt",
  "mathsf",
  "mathcal",
  "texttt",
  "textsf",
  "textnormal",
  "textit",
  "operatorname",
  "mbox",
  "boldsymbol",
  "emph",
])("\\%s around the letter is taken off", (macro) => {
  expect(parseLetter(`\\boxed{\\${macro}{A}}`, 2)).toMatchObject({ status: "ok", letter: "A" });
  expect(parseLetter(`\\boxed{$\\${macro} { \\textbf{Candidate B} }$}`, 2)).toMatchObject({
    status: "ok",
    letter: "B",
  });
  expect(parseScores(`\\boxed{\\${macro}{[9,1]}}`, 2)).toEqual({ status: "ok", scores: [9, 1] });
});

it("TeX's switches are taken off, other commands are not", () => {
  expect(parseLetter("\\boxed{\\bf A}", 2).letter).toBe("A");
  expect(parseLetter("\\boxed{{\\ttfamily B}}", 2).letter).toBe("B");
  expect(parseLetter("\\boxed{\\neg{A}}", 2).status).toBe("bad_content");
  expect(parseLetter("\\boxed{\\item A}", 2).status).toBe("bad_content");
});

describe("parseScores", () => {
  it("never throws, and gives k integers in 0..10 exactly when it is ok", () => {
    fc.assert(
      fc.property(hostileText, k, (text, candidates) => {
        const { status, scores } = parseScores(text, candidates);
        expect(scores !== null).toBe(status === "ok");
        if (scores === null) return;
        expect(scores).toHaveLength(candidates);
        for (const score of scores) expect(Number.isInteger(score) && score >= 0 && score <= 10).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads back every list of scores, however it is spaced and wrapped", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 2, maxLength: 26 }),
        fc.constantFrom(",", ", ", " , ", ",\n"),
        fc.constantFrom(...LAYERS, (s: string) => s),
        (scores, separator, wrap) => {
          const text = `<think>\\boxed{[1,1]}</think>\\boxed{${wrap(`[${scores.join(separator)}]`)}}`;
          expect(parseScores(text, scores.length)).toEqual({ status: "ok", scores });
        },
      ),
    );
  });

  it.each([
    ["no box", "10, 4", "no_box"],
    ["a letter", "\\boxed{A}", "bad_content"],
    ["a wrong count", "\\boxed{[1,2,3]}", "bad_content"],
    ["a fraction", "\\boxed{[9.5,4]}", "bad_content"],
    ["a quoted number", "\\boxed{['9',4]}", "bad_content"],
    ["an empty list", "\\boxed{[]}", "bad_content"],
    ["above ten", "\\boxed{[11,4]}", "out_of_range"],
    ["below zero", "\\boxed{[10,-1]}", "out_of_range"],
    ["beyond 2^53", "\\boxed{[99999999999999999999,4]}", "out_of_range"],
    ["boxes that differ", "\\boxed{[10,4]} \\boxed{[4,10]}", "ambiguous"],
    ["open thoughts", "<think>\\boxed{[10,4]}", "unclosed_think"],
    ["boxes that agree", "\\boxed{[10,4]} \\boxed{[ 10, 04 ]}", "ok"],
    ["a letter beside the scores", "\\boxed{A} \\boxed{[10,4]}", "ok"],
  ])("%s", (_, text, status) => {
    expect(parseScores(text, 2)).toEqual({ status, scores: status === "ok" ? [10, 4] : null });
  });
});

it("a score written -0 is plain 0", () => {
  expect(parseScores("\\boxed{[-0,4]}", 2)).toEqual({ status: "ok", scores: [0, 4] });
});

describe("hostile texts of 512 KiB", () => {
  const SIZE = 512 * 1024;
  const fill = (unit: string) => unit.repeat(Math.floor(SIZE / unit.length));
  // quadratic work on any of these would take minutes; linear work takes milliseconds
  const BOUND_MS = 5000;
  it.each([
    ["boxes never closed", fill("\\boxed{")],
    ["boxes without a brace", fill("\\boxed")],
    ["blanks before the brace", `\\boxed${fill(" ")}`],
    ["braces", fill("{")],
    ["closing braces", `\\boxed{${fill("}")}`],
    ["one box full of asterisks", `\\boxed{${fill("**")}}`],
    ["one box of nested braces", `\\boxed{${"{".repeat(SIZE / 2)}B${"}".repeat(SIZE / 2)}}`],
    ["one box of nested macros", `\\boxed{${fill("\\text{").slice(0, -6)}B${"}".repeat(SIZE / 6)}}`],
    ["many small nested boxes", fill("\\boxed{((((B))))}")],
    ["boxes of combining marks", fill(`\\boxed{${"\u0301\u0327\u0323".repeat(80)}}`)],
    ["boxes of words", fill(`\\boxed{${"candidate".repeat(28)}}`)],
    ["blanks around a letter", `\\boxed{${fill(" ")}B${fill(" ")}}`],
    ["tags", `${fill("<think></think>")}`],
    ["answers never closed", fill("<answer>")],
    ["answers closed once", `${fill("<answer>")}</answer>`],
    ["digits", `\\boxed{[${fill("9")},1]}`],
    ["lines of open boxes", `${fill("\\boxed{\n")}}`],
  ])("%s", (_, text) => {
    const start = cpuMs();
    parseLetter(text, 5);
    parseScores(text, 5);
    expect(cpuMs() - start).toBeLessThan(BOUND_MS);
  });
});
