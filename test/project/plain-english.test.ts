// Guarantees that `npm run check -- prose` finds each banned form and name where a person would read it, and
// nothing in code, prompts or data.
import { describe, expect, it } from "vitest";
import { ALLOWED, findingsIn } from "../../scripts/project/plain-english.ts";
import { BANNED_FORMS, BANNED_NAMES } from "../../scripts/project/prose/banned.ts";

const found = (path: string, text: string) => findingsIn(path, text).map(({ line, found }) => [line, found]);

/** A sentence for each form, and one that is close to it and allowed. */
const SENTENCES: readonly (readonly [banned: string, allowed: string])[] = [
  ["Of each row the hash.", "Of course the hash is kept."],
  ["What a row holds of a run.", "What is a row?"],
  ["The one that begins first wins.", "The first judge to begin wins."],
  ["Owns the order of the rows.", "The order of the rows."],
  ["The caller is told the reason.", "The caller receives the reason."],
  ["A reader told of the fault stops.", "A reader that learns about the fault stops."],
  ["The hash tells whether they differ.", "The hash shows whether they differ."],
  ["Results hang on the order.", "Results depend on the order."],
  ["It fails for want of memory.", "It fails without memory."],
  ["The wait is of its own doing; by its doing it ends.", "The wait ends by itself."],
  ["A room has a clock of its own.", "A room has a separate clock."],
  ["A word is no number.", "There is no number, and a word is no longer one."],
  ["So nobody reads it.", "No reader gets it."],
  ["A fault after so many seconds.", "A fault after `wait_s` seconds."],
  ["The mark stands in the last line.", "The mark is in the last line; we stand down."],
  ["An error that comes of the order.", "An error that results from the order."],
  ["Names in small letters match.", "Names in lower case match; small lettering fits."],
];

describe("the check of prose", () => {
  it("finds every banned form, and no sentence close to it", () => {
    const used = new Set<number>();
    for (const [banned, allowed] of SENTENCES) {
      const hits = BANNED_FORMS.flatMap(({ pattern }, at) => (pattern.test(banned) ? [at] : []));
      expect(hits, banned).not.toEqual([]);
      for (const at of hits) used.add(at);
      expect(found("a.md", allowed), allowed).toEqual([]);
      expect(found("a.md", banned), banned).toHaveLength(1);
    }
    expect(BANNED_FORMS.flatMap((form, at) => (used.has(at) ? [] : [form]))).toEqual([]);
  });

  it("reads comments over several lines, and messages, but no code", () => {
    const text = [
      "// The order that the caller",
      "// is told.",
      "const nobody = 1;",
      "/**",
      " * The value.",
      " * @param row what it was told of",
      " */",
      'throw new Error("The value is no number, so it fails");',
      ["const key = `The row $", "{nobody} is no number here`;"].join(""),
      'const tag = "nobody";',
    ].join("\n");
    expect(found("src/a.ts", text).map(([line]) => line)).toEqual([1, 6, 8, 9]);
  });

  it("reads comments and docstrings of Python and shell", () => {
    expect(found("a.py", '"""What a row holds."""\nx = 1  # code\n# So nobody\n# reads it.\n')).toEqual([
      [1, "What a row holds."],
      [3, "So nobody reads it."],
    ]);
    expect(found("a.sh", "#!/bin/sh\n# Owns the port.\necho nobody\n")).toEqual([[2, "Owns the port."]]);
  });

  it("leaves code blocks of documentation out", () => {
    expect(found("a.md", "Run it:\n\n```sh\n# nobody\n```\n\n- Then nobody waits.\n")).toEqual([
      [7, "Then nobody waits."],
    ]);
  });

  it("finds every banned name wherever one is declared, outside tests", () => {
    const text = [
      "interface Row { own?: number; put(one: string): void; fine: string }",
      "type tell = (about: string) => void;",
      "const { of, rest: kept } = row;",
      "for (const [by] of rows) use({ most: 1 });",
      "class Store { #least = 0; hold() {} }",
      "function again(...whose: string[]) {}",
    ].join("\n");
    const names = found("src/a.ts", text).map(([, name]) => name);
    expect(names.sort()).toEqual(
      ["about", "again", "by", "hold", "kept", "least", "of", "one", "own", "put", "tell", "whose"].sort(),
    );
    expect(found("test/a.test.ts", text)).toEqual([]);
    for (const name of BANNED_NAMES.keys()) expect(found("src/a.ts", `let ${name} = 1;`), name).toHaveLength(1);
  });

  it("allows few names, each in a file that has it", () => {
    expect(ALLOWED.size).toBeLessThanOrEqual(3);
  });

  it("reports a file that is not parsed", () => {
    expect(() => findingsIn("a.ts", "const = ;")).toThrow("a.ts is not parsed");
  });
});
