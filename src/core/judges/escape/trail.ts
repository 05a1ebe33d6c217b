// Defines which characters are hidden from readers, and by which characters a mark is recognised.
import { skeletonOf } from "../../text/look-alikes.ts";

export const JOINER = "\u2060";

/**
 * Characters that a reader does not see: controls except tab, line ends and form feed; format characters;
 * default-ignorable characters (soft hyphen, zero-width characters, fillers, variation selectors, tags, the
 * word joiner itself); lone surrogates. They hide text from people but not from models, or split a word that
 * a filter looks for.
 */
export const HIDDEN_CLASS = "\\p{DI}\\p{Cf}\\p{Cs}\\u2028\\u2029\\0-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x9f";
const ALL_HIDDEN = new RegExp(`[${HIDDEN_CLASS}]`, "gu");

/** Removes hidden characters, so that a template's text is compared as people see it. */
const withoutHidden = (text: string): string => text.replace(ALL_HIDDEN, "");

/** Characters that readers skip between the characters of a mark: white space and emphasis. */
const GAPS = /[\s_*`~]+/g;
const SPACE = /\s+/g;
export const isGap = (unit: number): boolean =>
  unit <= 0x20 ||
  unit === 0x5f ||
  unit === 0x2a ||
  unit === 0x60 ||
  unit === 0x7e ||
  (unit >= 0x80 && /\s/.test(String.fromCharCode(unit)));

/** Returns the characters by which a mark is recognised: its skeleton without gaps, in lower case. */
export function trailOf(text: string): string {
  const look = skeletonOf(withoutHidden(text)).text;
  return (look.replace(GAPS, "") || look.replace(SPACE, "")).toLowerCase();
}
