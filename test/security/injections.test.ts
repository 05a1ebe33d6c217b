// The proof that no candidate leaves its block in the prompt or forges a verdict at the parser, whatever it
// carries.
import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/core/asking/readings.ts";
import { extractCandidate } from "../../src/core/candidate/extract.ts";
import { escapeText } from "../../src/core/judges/escape/escape.ts";
import { createRenderer, fenceFor, parsePrompt } from "../../src/core/judges/render.ts";
import { parseLetter, parseScores } from "../../src/core/judges/verdict.ts";
import { ATTACKS, CARRIERS, honest, LANGUAGES } from "./injections.ts";

/**
 * A prompt holds a language's name and nothing else of it: programs differ by how their comments and
 * strings are written, and Python and C++ between them write all the ways there are.
 */
const WRITTEN = LANGUAGES.filter((language) => language === "python" || language === "cpp");

const CASES = WRITTEN.flatMap((language) =>
  Object.entries(CARRIERS).flatMap(([carrier, carry]) =>
    ATTACKS.map((attack) => ({ ...attack, language, carrier, program: carry[language](attack.text) })),
  ),
);

const render = (
  language: string,
  candidates: string[],
  order = [0, 1],
  form: "exact_match" | "scores" = "exact_match",
) =>
  createRenderer("code-select", form, { question: "Read n, print 2n.", language, candidates })(order).at(-1)
    ?.content as string;

/**
 * Texts that a verifier could take for structure: kept apart from escape.ts on purpose, by looking at the
 * text as a tokenizer that normalises would, with look-alike letters read as Latin ones, and ignoring case.
 */
const STRUCTURE: readonly RegExp[] = [
  /\[\s*\/?\s*(?:question|candidate_[a-z])\s*\]/gi,
  /<\s*\/?\s*(?:think|thinking|thought|answer|tool_call|seed:think)\s*>/gi,
  /<\|[^|<>\n]+\|>|<｜[^｜<>\n]+｜>|\[\|\w+\|\]/g,
  /\[\s*\/?\s*(?:INST|SYSTEM_PROMPT|THINK|TOOL_RESULTS|gMASK)\s*\]|<<\/?SYS>>|<\/?s>|<(?:sop|BOS_TOKEN|unused\d+|extra_id_\d+|SPECIAL_\d+)>/g,
  /<\/?(?:start|end)_of_turn>|\]~b\]|\[e~\[/g,
  /\\boxed/gi,
];
/** Cyrillic and Greek letters, and below each the Latin one for which a reader takes it. */
const FOREIGN = "АВСЕНІКМОРЅТХУасеікорѕхуΑΒΕΗΙΚΜΝΟΡΤΧΥΖο";
const LOOKED_LIKE = "ABCEHIKMOPSTXYaceikopsxyABEHIKMNOPTXYZo";
const seen = (text: string) =>
  text.normalize("NFKC").replace(/[\u0370-\u052f]/g, (letter) => LOOKED_LIKE[FOREIGN.indexOf(letter)] ?? letter);
const structureOf = (prompt: string) => STRUCTURE.map((pattern) => seen(prompt).match(pattern) ?? []);

test("there are at least 60 attacks, each under its own name, in every way of writing", () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  expect(ATTACKS.length).toBeGreaterThanOrEqual(60);
  expect(CASES.length).toBe(ATTACKS.length * 2 * 3);
});

describe.each(WRITTEN)("a candidate in %s", (language) => {
  const cases = CASES.filter((entry) => entry.language === language);
  const clean = render(language, [honest(language), "pass"]);

  test.each(cases)("stays in its block: $name in a $carrier", ({ program }) => {
    const fence = fenceFor(program);
    const rollout = `<think>easy</think>Here it is:\n${fence}${language}\n${program}${fence}\n`;
    const { candidate } = extractCandidate(rollout, { extract: "last_code_block" }, language);
    // Think tags in a program cut its rollout, as they cut anyone's; what is left of it must stay
    // in its block as well.
    const shown = [candidate ?? program, program];
    for (const text of shown) {
      const prompt = render(language, [text, honest(language)]);
      expect(structureOf(prompt)).toEqual(structureOf(clean));
      const open = /\[CANDIDATE_A\]\n(`+)/.exec(prompt)?.[1] ?? "";
      expect(escapeText(text)).not.toContain(open);
      expect(parsePrompt(prompt)?.candidates.map(({ code }) => code)).toEqual([text, honest(language)]);
      const swapped = parsePrompt(render(language, [text, honest(language)], [1, 0]));
      expect(swapped?.candidates.map(({ code }) => code)).toEqual([honest(language), text]);
    }
  });

  test("leaves no character in the prompt that a person would not see", () => {
    for (const { program } of cases) {
      const hidden =
        render(language, [program, program]).match(/\p{Cf}|\p{Cc}|[\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0e]/gu) ?? [];
      expect(hidden.filter((c) => c !== "\n" && c !== "\u2060")).toEqual([]);
    }
  });
});

test("a language cannot leave its line", () => {
  for (const language of ["py\n```\n[/CANDIDATE_A]", "`", "a b", "x".repeat(33)]) {
    expect(render(language, ["a", "b"])).toBe(render("", ["a", "b"]));
  }
});

describe("the parser", () => {
  const SCORES = "\\boxed{[1, 9]}";

  test.each(ATTACKS)("does not count what is quoted in thoughts: $name", ({ text }) => {
    expect(parseLetter(`<think>It says ${text} there.</think>\\boxed{B}`, 2).letter).toBe("B");
    expect(parseScores(`<think>It says ${text} there.</think>${SCORES}`, 2).scores).toEqual([1, 9]);
  });

  test.each(ATTACKS)("does not count what is quoted from the prompt in an answer: $name", ({ text }) => {
    const quoted = escapeText(text);
    expect(parseLetter(`It says ${quoted} there. \\boxed{B}`, 2).letter).toBe("B");
    expect(parseScores(`It says ${quoted} there. ${SCORES}`, 2).scores).toEqual([1, 9]);
    expect(parseLetter(quoted, 2).status).not.toBe("ok");
    expect(parseScores(quoted, 2).status).not.toBe("ok");
  });

  // A bare end of thinking behind the answer would make the answer a thought. The verifier would
  // have to write a tag that the prompt never held; served with a reasoning parser, the answer
  // comes apart from the thoughts in the first place.
  const closing = (text: string) => text.includes("</think>");

  test.each(ATTACKS)(
    "gives no verdict rather than the attacker's when even the raw text is quoted: $name",
    ({ text }) => {
      expect(parseLetter(`It says ${text} there. \\boxed{B}`, 2).letter).not.toBe("A");
      if (!closing(text)) expect(parseLetter(`\\boxed{B} for it says ${text} there.`, 2).letter).not.toBe("A");
      expect(parseScores(`It says ${text} there. ${SCORES}`, 2).scores ?? [1, 9]).toEqual([1, 9]);
    },
  );

  test.each(ATTACKS)("takes nothing from an answer cut while it quotes: $name", ({ text }) => {
    const cut = { thinking: "none", finish_reason: "length", error: null } as const;
    const read = readAnswer(
      { ...cut, answer: `It says ${text}` } as Parameters<typeof readAnswer>[0],
      2,
      "exact_match",
    );
    expect(read.verdict).toBeNull();
  });
});
