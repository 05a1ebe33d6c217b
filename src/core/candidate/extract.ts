// Extracts the candidate from a rollout's text, and normalises candidates to find duplicates. Must not know
// the verifier.

import type { CandidateRule } from "../contract/candidate-rule.ts";
import { thinkingOf } from "../text/thinking.ts";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { canonicalLanguage } from "./languages.ts";
import { isOpener } from "./openers.ts";
import { plainCode, withOpenedFence } from "./plain-code.ts";

interface Extraction {
  /** The part that the verifier judges; null if there is none. */
  candidate: string | null;
  /** The group's language, else the language of the fence, else null. */
  language: string | null;
}

/**
 * The last block in the caller's language, else the last that is not tagged `text`, else the last block. Null
 * if the text was cut inside a block.
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
 * Index of the last program. A final block tagged `text` is program output if an earlier block names a
 * language.
 */
function lastProgram(tags: readonly (string | null)[]): number {
  const last = tags.length - 1;
  if (tags[last] !== "text") return last;
  const named = tags.findLastIndex((tag) => tag !== null && tag !== "text");
  return named < 0 ? last : named;
}

/**
 * The language of a fence: its canonical name if known, else the first word of the info string if it is a
 * valid request `language`.
 */
function infoLanguage(info: string): string | null {
  const known = canonicalLanguage(info);
  if (known !== null) return known === "text" ? null : known;
  const word = (info.split(/\s/, 1)[0] ?? "").toLowerCase();
  return /^[a-z0-9+#._-]{1,32}$/.test(word) ? word : null;
}

/**
 * Whether a text has content. Blank texts, punctuation and openers can fool a verifier without being an
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
 * The program of a rollout without any fence, if its answer is code only; else null. Used by signals that run
 * programs; other signals use the extracted candidate.
 */
export function programWithoutFence(text: string): string | null {
  const { answer, open } = thinkingOf(text, true);
  const code = open === null ? plainCode(text.slice(answer)) : null;
  return code !== null && hasContent(code) ? normaliseCandidate(code) : null;
}

/**
 * Extracts the candidate from a rollout. Never throws; linear in the text.
 *
 * The answer segment follows the last closing think tag (thinking.ts); there is none if a thinking block is
 * unclosed.
 * `last_code_block` takes the last fenced block of the answer segment (code-blocks.ts) in the group's
 * language, else the last block, verbatim; `after_think` takes the segment, `whole` the text.
 * A candidate without a letter or digit, or made only of openers (openers.ts), is null.
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
 * The form in which candidates are compared for duplicates: LF line ends, no trailing blanks, no trailing
 * blank lines. Everything else stays.
 */
export function normaliseCandidate(candidate: string): string {
  const lines = candidate.replace(/\r\n?/g, "\n").split("\n").map(withoutTrailingBlanks);
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines.join("\n");
}

/** A loop instead of a pattern: a regular expression would take quadratic time on long runs of blanks. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}
