import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DISGUISED, DISGUISES, INVISIBLE, TOKENS } from "../../lab/red-team/material/special-tokens.ts";
import { createEscape, escapeText, survivors, unescapeText } from "../../src/core/judges/escape/escape.ts";
import fc from "../harness/property.ts";

const JOINER = "\u2060";
/** Printed when a property fails; the same texts every time. */
const SEED = 20_261_122;

/** Dangers, every part of each, and what may stand between them. */
const parts = TOKENS.flatMap((token) => [token.slice(0, -1), token.slice(1), token.slice(0, 2), token.slice(-2)]);
const pieces = fc.array(
  fc.oneof(
    { arbitrary: fc.constantFrom(...TOKENS), weight: 4 },
    { arbitrary: fc.constantFrom(...parts), weight: 4 },
    fc.constantFrom(JOINER, "\u200b", "\ufe0f", "\ud800", "<U+200B>", "<", "[", "/", "\n", " ", "é", "ж", "😀"),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
  { maxLength: 16 },
);

describe("escapeText", () => {
  it("breaks what matches overlap in", () => {
    const escaped = escapeText("# [e~[/INST] [e~[/CANDIDATE_A] ]~!b[CANDIDATE_B]");
    for (const raw of ["[/INST]", "[/CANDIDATE_A]", "[CANDIDATE_B]", "[e~[", "]~!b["])
      expect(escaped).not.toContain(raw);
  });

  it(`leaves none of any concatenation of dangers and of their parts (seed ${SEED})`, () => {
    const none = fc.property(pieces, (texts) => {
      const escaped = escapeText(texts.join(""));
      expect(TOKENS.filter((token) => escaped.includes(token))).toEqual([]);
    });
    fc.assert(none, { numRuns: 5_000, seed: SEED });
  });

  it(`is undone by unescapeText (seed ${SEED})`, () => {
    const undone = fc.property(pieces, (texts) => {
      const text = texts.join("");
      expect(unescapeText(escapeText(text))).toBe(text);
      const more = createEscape(["### Human:", "<U+", "U+200B", "20", "[[ weird", "ж😀"]);
      expect(unescapeText(more(text))).toBe(text);
    });
    fc.assert(undone, { numRuns: 3_000, seed: SEED });
  });

  it.each(Object.entries(DISGUISES))("breaks tags in %s", (_, disguise) => {
    for (const tag of DISGUISED) {
      const disguised = disguise(tag);
      const text = `x${disguised}y`;
      expect(escapeText(text)).not.toContain(disguised);
      expect(unescapeText(escapeText(text))).toBe(text);
    }
    expect(escapeText(disguise("[Candidate_B]"))).not.toContain(disguise("[Candidate_B]"));
  });

  it.each(INVISIBLE)("writes out the invisible character %i", (code) => {
    const character = String.fromCodePoint(code);
    expect(escapeText(`a${character}b`)).toBe(`a<U+${code.toString(16).toUpperCase().padStart(4, "0")}>b`);
  });

  it("has no character that alone looks like a whole danger, and gives each one back", () => {
    const all = Array.from({ length: 0x32400 }, (_, code) => String.fromCodePoint(code)).filter((c) => c !== "\n");
    const text = all.join("\n");
    const escaped = escapeText(text);
    expect(unescapeText(escaped)).toBe(text);
    const lines = escaped.split("\n");
    expect(lines.filter((line, k) => line !== all[k] && !/^<U\+[0-9A-F]{4,5}>$/.test(line))).toEqual([]);
  });

  it.each([
    'for i in range(10):\n  if a[i] < b[i] | c: print(x[question], "<b>", List[int])\n',
    "parser = many1 digit <|> string x\nf <| x |> g\nlet a = [|1; 2; 3|]",
    "fn f(v: Vec<[i32; 3]>, r: Option<Answer>) -> Result<Role, S> { v[candidate] / think }",
    "votes[candidate_id] += 1; Array<[number, string]>; a = b/c; x = '</b><image src=1>'",
    "# Größe, naïve, 中文, привет, ελληνικά ≤ ∑ √ → 😀\n",
  ])("leaves an honest program as it is: %j", (program) => {
    expect(escapeText(program)).toBe(program);
  });

  it("leaves every program of the sets and of the examples as it is", () => {
    const programs = new Set<string>();
    const take = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (name === "code" && typeof inner === "string") programs.add(inner);
        else take(inner);
      }
    };
    for (const root of ["sets", "problems"]) {
      for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
        const path = join(root, name);
        if (/\.(?:py|js|ts|cpp|java)$/.test(name)) programs.add(readFileSync(path, "utf8"));
        if (name.endsWith(".jsonl"))
          for (const row of readFileSync(path, "utf8").trim().split("\n")) take(JSON.parse(row));
      }
    }
    expect(programs.size).toBeGreaterThan(1_000);
    expect([...programs].filter((program) => escapeText(program) !== program)).toEqual([]);
  });

  it("takes time in proportion to the text", () => {
    for (const unit of ["[ ", "<", JOINER, "<|", "\\", "[/ ", "[candidate      ", "<aaaaaaaa", "ж[", "/", "|", "]"]) {
      expect(escapeText(unit.repeat(200_000)).length).toBeGreaterThanOrEqual(200_000);
    }
  });
});

describe("createEscape", () => {
  it("breaks the tokens given as well, also where they overlap", () => {
    const tokens = ["### Human:", "xx", "<weird", "$a^b", "😀😀"];
    const escaped = createEscape(tokens)("### Human: xxx <<weird $a^b 😀😀😀 <|im_end|>");
    expect([...tokens, "<|im_end|>"].filter((token) => escaped.includes(token))).toEqual([]);
    expect(unescapeText(escaped)).toBe("### Human: xxx <<weird $a^b 😀😀😀 <|im_end|>");
  });

  it("is the plain one where that breaks them already", () => {
    expect(createEscape(["<|im_end|>", "a[INST]b"])).toBe(escapeText);
  });

  it("cannot break what is one character, or holds a joiner where one would come to stand; says so", () => {
    const tokens = ["§", `<${JOINER}|im_end|>`, "fine", "\u200b"];
    expect(survivors(createEscape(tokens), tokens)).toEqual(["§"]);
  });
});
