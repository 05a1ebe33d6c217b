// Defines what of a text is hidden from readers, and the characters by which a mark is known.
import { skeletonOf } from "../../text/look-alikes.ts";

export const JOINER = "\u2060";

/**
 * Characters that a reader does not see: controls but tab, line ends and form feed; format characters; what
 * is ignored by default (soft hyphen, zero-width characters, fillers, variation selectors, tags, the word
 * joiner itself); halves of a surrogate pair. They hide text from people and show it to models, or split a
 * word that a filter looks for.
 */
export const HIDDEN_CLASS = "\\p{DI}\\p{Cf}\\p{Cs}\\u2028\\u2029\\0-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x9f";
const ALL_HIDDEN = new RegExp(`[${HIDDEN_CLASS}]`, "gu");

/** A template's own text as people see it. */
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

/** The characters by which a mark is known: as they look, without gaps, in lower case. */
export function trailOf(text: string): string {
  const look = skeletonOf(withoutHidden(text)).text;
  return (look.replace(GAPS, "") || look.replace(SPACE, "")).toLowerCase();
}
