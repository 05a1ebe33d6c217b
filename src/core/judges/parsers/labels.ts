// Labels inside a content: as the whole of it, or anywhere in the rest of a line.
import { stripped, unwrapped } from "./answer-text.ts";

/** The labels that stand for the candidates shown where a preset names none. */
export const lettersOf = (count: number): string[] => [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].slice(0, count);

export interface LabelWords {
  labels: readonly string[];
  /** Words that stand for a label, in lower case. */
  words?: Readonly<Record<string, string>> | undefined;
}

const LETTER = /^\p{L}$/u;

/** The label that a text is, case aside, or null. */
function labelNamed(text: string, { labels, words = {} }: LabelWords): string | null {
  if (labels.includes(text)) return text;
  const small = text.toLowerCase();
  const label = labels.find((known) => known.toLowerCase() === small);
  return label ?? (Object.hasOwn(words, small) ? (words[small] as string) : null);
}

/**
 * The meaning of a whole content: a label, `null` for text of a label's shape that is none of them,
 * `undefined` for anything else.
 */
export function wholeLabel(content: string, accepted: LabelWords): string | null | undefined {
  // Most answers need no unwrapping.
  if (accepted.labels.includes(content)) return content;
  const text = unwrapped(content);
  const label = labelNamed(text, accepted);
  if (label !== null) return label;
  const wordy = accepted.labels.some((label) => label.length > 1 && /^[A-Za-z]+$/.test(label));
  return LETTER.test(text) || (wordy && /^\p{L}+$/u.test(text)) ? null : undefined;
}

const TOKEN = /[\p{L}\p{N}\p{M}_]+/gu;
const NUMBER = /^\p{N}+$/u;
/** Behind the article A no verdict stands, but these words tell of one. */
const ARTICLE = /^ +(?!(?:or|and|because|since|as|is|was|over|but|wins?)\b)\p{Ll}/u;

/**
 * Every label in the rest of a line behind its key; `null` among them for a single letter that is
 * no label. A lower-case letter and a number count only as the whole, the article A not at all.
 */
export function labelsIn(rest: string, accepted: LabelWords): (string | null)[] {
  const text = stripped(rest);
  const whole = labelNamed(unwrapped(text), accepted);
  if (whole !== null) return [whole];
  const found: (string | null)[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (NUMBER.test(token)) continue;
    if (token.length > 1) {
      const label = labelNamed(token, accepted);
      if (label !== null) found.push(label);
      continue;
    }
    if (!/^\p{Lu}$/u.test(token)) continue;
    if (token === "A" && ARTICLE.test(text.slice(index + 1, index + 32))) continue;
    found.push(labelNamed(token, accepted));
  }
  return found;
}
