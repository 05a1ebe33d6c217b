// The proof that each class of completion gives its program: the vectors, and the extractors that trainers
// bring.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadProblems } from "../../lab/problems/problem.ts";
import { extractCandidate, normaliseCandidate } from "../../src/core/candidate/extract.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import fc from "../harness/property.ts";

interface Vector {
  class: string;
  text: string;
  language: string | null;
  candidate: string | null;
}

const { vectors } = JSON.parse(readFileSync(new URL("../vectors/extraction.json", import.meta.url), "utf8")) as {
  vectors: Vector[];
};

const RULE = { extract: "last_code_block" } as const;
const taken = (text: string, language: string | null = null) => extractCandidate(text, RULE, language).candidate;

test.each(vectors)("$class: $text", ({ text, language, candidate }) => {
  const found = taken(text, language);
  expect(found === null ? null : normaliseCandidate(found)).toBe(candidate);
});

/**
 * How trainers find a Python program (rules read from open-r1, verl and rLLM): all between a tag
 * and the next three marks, wherever they stand.
 */
const FIELD: Readonly<Record<string, (text: string) => string | null>> = {
  "the last complete block tagged python": (text) => {
    let last: string | null = null;
    for (let at = text.indexOf("```python\n"); at >= 0; ) {
      const start = at + "```python\n".length;
      const end = text.indexOf("```", start);
      if (end < 0) break;
      last = text.slice(start, end);
      at = text.indexOf("```python\n", end + 3);
    }
    return last;
  },
  "what follows the last python tag": (text) => {
    const at = text.lastIndexOf("```python");
    if (at < 0) return null;
    const end = text.indexOf("```", at + 3);
    return text.slice(at + "```python".length, end < 0 ? text.length : end);
  },
  "the last block of any word": (text) => {
    let last: string | null = null;
    for (const match of text.matchAll(/`{3}\w*\n([^`]*(?:`{1,2}[^`]+)*)`{3}/g)) last = match[1] as string;
    return last;
  },
};

describe("where the field's extractors agree, this one agrees", () => {
  const PROGRAM = "n = int(input())\nprint(n)";
  const lead = fc.constantFrom(
    "",
    "Assistant: ",
    "Sure!\n\n",
    "<answer>",
    "<think>hm</think>\n",
    "1. Run `x`:\n\n",
    "### Code\n",
  );
  const draft = fc.constantFrom("", "```python\nprint(0)\n```\n", "First:\n```python\nprint(0)\n```\nThen:\n");
  const close = fc.constantFrom(
    "\n```",
    "\n```\n```",
    "```",
    "\n# ```",
    "\n```\n\n```",
    "\n``` So it is.",
    "\n```</answer>",
    "\n```<|im_end|>",
  );
  const tail = fc.constantFrom("", "\n", "\nIt prints n.", "\n\nDone: `n`.\n");
  const tidy = (text: string) => text.replace(/[\s#]+$/, "").trim();

  test("on completions of their usual shapes", () => {
    let agreed = 0;
    fc.assert(
      fc.property(lead, draft, close, tail, (before, earlier, end, after) => {
        const text = `${earlier}${before}\`\`\`python\n${PROGRAM}${end}${after}`;
        const programs = new Set(Object.values(FIELD).map((extract) => tidy(extract(text) ?? "")));
        if (programs.size > 1) return;
        agreed++;
        expect(tidy(taken(text) ?? ""), text).toBe([...programs][0]);
      }),
      { numRuns: 800, seed: 12 },
    );
    expect(agreed).toBeGreaterThan(400);
  });

  test("on every rollout of the examples that has a program", async () => {
    for (const { rollouts, language } of await loadProblems()) {
      for (const { text } of rollouts) {
        const answer = text.slice(text.lastIndexOf("</think>") + 1);
        const found = taken(text, language);
        if (language !== "python" || found === null || answer.includes("````")) continue;
        const programs = new Set(Object.values(FIELD).map((extract) => tidy(extract(answer) ?? "")));
        if (programs.size === 1) expect(tidy(found)).toBe([...programs][0]);
      }
    }
  });
});

/** The longest rollout: the square of that would not end in time. */
test("hostile fences end at all", () => {
  const SIZE = LIMITS.rollout_text_bytes;
  const units = [
    "```\n",
    "x ```\n",
    "- ```a\n",
    "    ```\n",
    "# ```\n",
    "```python\n",
    "> ```\n",
    "```md\n```python\n",
    "x```",
    "``` a b\n",
    "<think>",
    "<|channel|>final",
    "[THINK]",
    "`",
    " ",
    "- ",
    "~~~\n```\n",
  ];
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(SIZE / unit.length));
    for (const given of [text, `\`\`\`python\n${text}`, `${text}\n\`\`\`\n1\n\`\`\``]) {
      const found = taken(given, "python");
      expect(found === null || /[\p{L}\p{N}]/u.test(found), unit).toBe(true);
    }
  }
});
