// Holds the escape to the special tokens of every family of the vectors, to shapes of which no
// member is named, and honest programs to what they are.
import { describe, expect, it } from "vitest";
import { isHead, SPECIAL_TOKENS } from "../../lab/red-team/material/special-tokens.ts";
import { escapeText, unescapeText } from "../../src/core/judges/escape/escape.ts";
import { lines } from "../harness/vector-lines.ts";

const TEXTS = lines<{ kind: "mark" | "head" | "honest"; text: string }>("escaped_texts.jsonl");
const textsOf = (kind: (typeof TEXTS)[0]["kind"]) => TEXTS.filter((one) => one.kind === kind).map(({ text }) => text);

/** A head counts at a line's start, other pieces anywhere. */
const around = (piece: string) => (isHead(piece) ? `said\n${piece}\nmore` : `x${piece}y`);

describe.each(Object.entries(SPECIAL_TOKENS))("%s", (_, pieces) => {
  it("no piece stands raw, and each comes back", () => {
    const texts = pieces.map(around);
    expect(pieces.filter((piece, i) => escapeText(texts[i] as string).includes(piece))).toEqual([]);
    expect(texts.map((text) => unescapeText(escapeText(text)))).toEqual(texts);
  });
});

it("the vectors hold more than a hundred families and seven hundred pieces", () => {
  expect(Object.keys(SPECIAL_TOKENS).length).toBeGreaterThan(100);
  expect(new Set(Object.values(SPECIAL_TOKENS).flat()).size).toBeGreaterThan(700);
});

describe("a mark that no family has, of a shape that they have", () => {
  it("stands raw in no text, also in wide letters", () => {
    const wide = (text: string) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
    const pieces = textsOf("mark").flatMap((piece) => [piece, wide(piece)]);
    expect(pieces.filter((piece) => escapeText(`x${piece}y`).includes(piece))).toEqual([]);
  });
});

describe("the head of a turn", () => {
  it("is broken at a line's start", () => {
    const raw = textsOf("head").flatMap((head) =>
      ["", "x\n", "x\r", "x\n  ", "x\n\n"].filter((before) => escapeText(`${before}${head} yes`).includes(head)),
    );
    expect(raw).toEqual([]);
  });
});

it("leaves honest sentences and programs as they are", () => {
  expect(textsOf("honest").map((text) => escapeText(text))).toEqual(textsOf("honest"));
});

it("takes time in proportion to the text", () => {
  for (const unit of [
    "\n",
    "\nA",
    "\n   ",
    "#",
    "\n######",
    "<a_",
    "<_a",
    "<start_",
    "[BEGIN ",
    "\nBEGINNING OF CONVERSATION:",
    "<co:",
    "用",
    "|END",
  ]) {
    expect(escapeText(unit.repeat(100_000)).length).toBeGreaterThanOrEqual(100_000);
  }
});
