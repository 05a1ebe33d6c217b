// How a candidate is taken out of a rollout's text, and when two candidates count as the same. Must not know
// the verifier.

import type { CandidateRule } from "../contract/candidate-rule.ts";
import { thinkingOf } from "../text/thinking.ts";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { canonicalLanguage } from "./languages.ts";
import { isOpener } from "./openers.ts";
import { plainCode, withOpenedFence } from "./plain-code.ts";

interface Extraction {
  /** The part the verifier judges, or null when there is none. */
  candidate: string | null;
  /** The group's language, else the fence's, else null. */
  language: string | null;
}

/**
 * The last block that names the caller's language, else the last that does not say `text`, else the
 * last; null when the text was cut in one.
 */
function lastCodeBlock(text: string, language: string | null): CodeBlock | null {
  const { blocks, cut } = codeBlocks(text);
  if (cut) return null;
  const wanted = language === null ? null : canonicalLanguage(language);
  const tags = blocks.map(({ info }) => canonicalLanguage(info));
  const named = wanted === null ? -1 : tags.lastIndexOf(wanted);
  return blocks[named] ?? blocks[lastProgram(tags)] ?? null;
}

/**
 * A block that says `text` shows what a program prints, when a block before it names a language.
 */
function lastProgram(tags: readonly (string | null)[]): number {
  const last = tags.length - 1;
  if (tags[last] !== "text") return last;
  const named = tags.findLastIndex((tag) => tag !== null && tag !== "text");
  return named < 0 ? last : named;
}

/**
 * A fence's language: its canonical name where it is known, else its first info word, if it could also be a
 * request's `language`.
 */
function infoLanguage(info: string): string | null {
  const known = canonicalLanguage(info);
  if (known !== null) return known === "text" ? null : known;
  const word = (info.split(/\s/, 1)[0] ?? "").toLowerCase();
  return /^[a-z0-9+#._-]{1,32}$/.test(word) ? word : null;
}

/**
 * Blank texts, texts of nothing but marks, and openers can please a verifier without being an
 * answer ("master keys", the design's formulas g).
 */
export const hasContent = (text: string): boolean => /[\p{L}\p{N}]/u.test(text) && !isOpener(text);

function taken(
  text: string,
  extract: CandidateRule["extract"],
  language: string | null,
  opened: boolean,
): CodeBlock | null {
  if (extract === "whole") return { content: text, info: "" };
  const { answer, open } = thinkingOf(text, true, opened);
  if (open !== null) return null;
  const segment = text.slice(answer);
  if (extract === "after_think") return { content: segment, info: "" };
  return lastCodeBlock(withOpenedFence(segment, language) ?? segment, language);
}

/**
 * The program of a rollout that has no fence at all: its answer where that is code alone, else null.
 * Signals that run programs take it; for others the extraction stands.
 */
export function programWithoutFence(text: string): string | null {
  const { answer, open } = thinkingOf(text, true);
  const code = open === null ? plainCode(text.slice(answer)) : null;
  return code !== null && hasContent(code) ? normaliseCandidate(code) : null;
}

/**
 * Takes the candidate out of a rollout. Never throws; linear in the text.
 *
 * The answer segment is what follows the last closing think tag (thinking.ts); a block of thinking
 * left open leaves none.
 * `last_code_block` takes the last fenced block of the answer segment (code-blocks.ts) that names
 * the group's language, else the last one, verbatim; `after_think` the segment, `whole` the text.
 * A candidate without one letter or digit, or of openers alone (openers.ts), is null.
 * @param language the group's language, or null
 * @param opened whether the text begins inside thoughts that the prompt opened
 */
export function extractCandidate(
  text: string,
  rule: CandidateRule,
  language: string | null,
  opened = false,
): Extraction {
  const block = taken(text, rule.extract, language, opened);
  const known = language ?? (block ? infoLanguage(block.info) : null);
  return { candidate: block !== null && hasContent(block.content) ? block.content : null, language: known };
}

/**
 * The form in which candidates are compared for being duplicates: line ends as LF, no blanks at
 * line ends, no blank lines at the end. Nothing else is touched.
 */
export function normaliseCandidate(candidate: string): string {
  const lines = candidate.replace(/\r\n?/g, "\n").split("\n").map(withoutTrailingBlanks);
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines.join("\n");
}

/** By hand, for a pattern would walk a long run of blanks once from each of them. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}
