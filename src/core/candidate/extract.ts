// Owns how a candidate is taken out of a rollout's text, and when two candidates count as the same.
// Must not know the verifier.

import type { CandidateRule } from "../contract/candidate-rule.ts";
import { thinkingOf } from "../text/thinking.ts";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { knowsLanguage, stripComments } from "./comments.ts";
import { canonicalLanguage, sameFamily } from "./languages.ts";
import { isOpener } from "./openers.ts";

interface Extraction {
  /** The part the verifier judges, or null when there is none. */
  candidate: string | null;
  /** The group's language, else the fence's, else null. */
  language: string | null;
  /** The spec strips comments and this rollout's could not be stripped. */
  strip_skipped?: true;
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
 * A fence's language: its own name where it is known, else its first info word, if it could also
 * stand in a request's `language`.
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

function taken(text: string, extract: CandidateRule["extract"], language: string | null): CodeBlock | null {
  if (extract === "whole") return { content: text, info: "" };
  const { answer, open } = thinkingOf(text, true);
  if (open !== null) return null;
  const segment = text.slice(answer);
  return extract === "after_think" ? { content: segment, info: "" } : lastCodeBlock(segment, language);
}

interface Stripped {
  text: string | null;
  skipped: boolean;
}

/**
 * The block without its comments. The caller's language rules. Where the policy's own words are why
 * comments cannot be stripped (no tag, an unknown one, one that contradicts the caller, a source
 * that hides its comments), there is no candidate, for such a rollout would be judged with comments
 * that its neighbours have lost; where the caller named no language that can be stripped, the text
 * stays.
 */
function stripped({ content, info }: CodeBlock, extract: CandidateRule["extract"], language: string | null): Stripped {
  const tag = canonicalLanguage(info);
  if (language === null && extract !== "last_code_block") return { text: content, skipped: true };
  if (language !== null && !knowsLanguage(language)) return { text: content, skipped: true };
  const declared = language === null ? null : canonicalLanguage(language);
  const contradicts = declared !== null && tag !== null && tag !== "text" && !sameFamily(tag, declared);
  const text = contradicts ? null : stripComments(content, declared ?? tag);
  return { text, skipped: text === null };
}

/**
 * Takes the candidate out of a rollout. Never throws; linear in the text.
 *
 * The answer segment is what follows the last closing think tag (thinking.ts); a block of thinking
 * left open leaves none.
 * `last_code_block` takes the last fenced block of the answer segment (code-blocks.ts) that names
 * the group's language, else the last one, verbatim; `after_think` the segment, `whole` the text.
 * With `strip_comments` the candidate loses its comments (`stripped`). A candidate without one
 * letter or digit, or of openers alone (openers.ts), is null.
 * @param language the group's language, or null
 */
export function extractCandidate(text: string, rule: CandidateRule, language: string | null): Extraction {
  const block = taken(text, rule.extract, language);
  const known = language ?? (block ? infoLanguage(block.info) : null);
  if (block === null) return { candidate: null, language: known };
  const unstripped = { text: block.content, skipped: false };
  const { text: candidate, skipped } = rule.strip_comments ? stripped(block, rule.extract, language) : unstripped;
  const judged = candidate !== null && hasContent(candidate) ? candidate : null;
  return { candidate: judged, language: known, ...(skipped && { strip_skipped: true }) };
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
