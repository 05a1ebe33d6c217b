// Finds labels, either as the whole content or anywhere in the rest of a line.

import { lazily } from "../../text/lazily.ts";
import { stripped, unwrapped } from "./answer-text.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** The letters that are the default labels of the candidates shown. */
export const lettersOf = (count: number): string[] => LETTERS.slice(0, count);

export interface LabelWords {
  labels: readonly string[];
  /** Synonyms of labels, keyed by the word in lower case. */
  words?: Readonly<Record<string, string>> | undefined;
}

const LETTER = lazily(() => /^\p{L}$/u);

/** Returns the label that equals the string, ignoring case, or null. */
function labelNamed(text: string, { labels, words = {} }: LabelWords): string | null {
  if (labels.includes(text)) return text;
  const small = text.toLowerCase();
  const label = labels.find((known) => known.toLowerCase() === small);
  return label ?? (Object.hasOwn(words, small) ? (words[small] as string) : null);
}

/**
 * Reads the whole content as a label. Returns `null` for content that has the shape of a label but is not an
 * accepted one, and `undefined` for anything else.
 */
export function wholeLabel(content: string, accepted: LabelWords): string | null | undefined {
  // Most answers need no unwrapping.
  if (accepted.labels.includes(content)) return content;
  const text = unwrapped(content);
  const label = labelNamed(text, accepted);
  if (label !== null) return label;
  const wordy = accepted.labels.some((label) => label.length > 1 && /^[A-Za-z]+$/.test(label));
  return LETTER().test(text) || (wordy && /^\p{L}+$/u.test(text)) ? null : undefined;
}

const TOKEN = lazily(() => /[\p{L}\p{N}\p{M}_]+/gu);
const NUMBER = lazily(() => /^\p{N}+$/u);
/**
 * Text after an A that is the article and not a verdict: a lower-case word, except words that typically
 * follow a verdict.
 */
const ARTICLE = lazily(() => /^ +(?!(?:or|and|because|since|as|is|was|over|but|wins?)\b)\p{Ll}/u);

/**
 * Finds every label in the rest of a line after a key; a single letter that is not a label gives `null`. A
 * lower-case letter or a number counts only if it is the whole rest, and the article A never counts.
 */
export function labelsIn(rest: string, accepted: LabelWords): (string | null)[] {
  const text = stripped(rest);
  const whole = labelNamed(unwrapped(text), accepted);
  if (whole !== null) return [whole];
  const found: (string | null)[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN())) {
    if (NUMBER().test(token)) continue;
    if (token.length > 1) {
      const label = labelNamed(token, accepted);
      if (label !== null) found.push(label);
      continue;
    }
    if (!/^\p{Lu}$/u.test(token)) continue;
    if (token === "A" && ARTICLE().test(text.slice(index + 1, index + 32))) continue;
    found.push(labelNamed(token, accepted));
  }
  return found;
}
