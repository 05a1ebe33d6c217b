// Extracts the candidate from a rollout's text, and normalises candidates to find duplicates. Must not depend
// on the verifier.

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
 * Returns the last block in the caller's language, else the last program, else the last block. Returns null
 * if the text was cut off inside a block.
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
 * The language of a fence: its canonical name if it is known, else the first word of the info string if that
 * is a valid `language` for a request.
 */
function infoLanguage(info: string): string | null {
  const known = canonicalLanguage(info);
  if (known !== null) return known === "text" ? null : known;
  const word = (info.split(/\s/, 1)[0] ?? "").toLowerCase();
  return /^[a-z0-9+#._-]{1,32}$/.test(word) ? word : null;
}

/**
 * Whether a string has content. Blank strings, punctuation and openers are not answers, but can fool a
 * verifier ("master keys", formulas g).
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
 * Returns the program of a rollout whose answer is only code without a fence, else null. Used by signals that
 * run programs; other signals use the extracted candidate.
 */
export function programWithoutFence(text: string): string | null {
  const { answer, open } = thinkingOf(text, true);
  const code = open === null ? plainCode(text.slice(answer)) : null;
  return code !== null && hasContent(code) ? normaliseCandidate(code) : null;
}

/**
 * Extracts the candidate from a rollout. Never throws; takes linear time.
 *
 * The answer segment follows the last closing think tag (see thinking.ts). The answer segment is missing if
 * a think block is not closed. `last_code_block` takes the last fenced block of the answer segment (see
 * code-blocks.ts) in the group's language, else the last block, verbatim; `after_think` takes the segment,
 * and `whole` the text. A candidate without a letter or digit, or made up only of openers (see openers.ts),
 * is null.
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
 * The form in which candidates are compared for duplicates: LF line ends, no trailing spaces, no trailing
 * blank lines. Nothing else is changed.
 */
export function normaliseCandidate(candidate: string): string {
  const lines = candidate.replace(/\r\n?/g, "\n").split("\n").map(withoutTrailingBlanks);
  while (lines.length > 0 && lines.at(-1) === "") lines.pop();
  return lines.join("\n");
}

/** Uses a loop because a regular expression would take quadratic time on long runs of spaces. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end--;
  return line.slice(0, end);
}
