// Holds which texts without an opening fence are programs: those that continue a fence of their
// prompt (`block`, under last_code_block), and those that are code alone (`plain`, for tests).
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { extractCandidate, normaliseCandidate, programWithoutFence } from "../../src/core/candidate/extract.ts";
import { cpuMs } from "../harness/cpu-time.ts";

interface Vector {
  text: string;
  language?: string;
  block: string | null;
  plain?: string | null;
}

const VECTORS = readFileSync(new URL("../vectors/open_fences.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector);

const blockOf = (text: string, language: string | null) => {
  const { candidate } = extractCandidate(text, { extract: "last_code_block" }, language);
  return candidate === null ? null : normaliseCandidate(candidate);
};

test("programs without an opening fence are found, and prose is not one", () => {
  const found = VECTORS.map(({ text, language, ...rest }) => ({
    text,
    block: blockOf(text, language ?? null),
    ...("plain" in rest && { plain: programWithoutFence(text) }),
  }));
  const wanted = VECTORS.map(({ text, block, plain }) => ({ text, block, ...(plain !== undefined && { plain }) }));
  expect(found.filter((one, at) => JSON.stringify(one) !== JSON.stringify(wanted[at]))).toEqual([]);
});

test.each(["print(1)\n", '"""', "```", "a.", "x = ", "python\n", "<answer>", "\n```"])(
  "a megabyte of %j costs little",
  (part) => {
    const started = cpuMs();
    const text = part.repeat(1_000_000 / part.length);
    blockOf(text, null);
    blockOf(`print(1)\n${text}`, null);
    programWithoutFence(text);
    expect(cpuMs() - started).toBeLessThan(4_000);
  },
);
