// Character sets of regular expressions: ranges, Unicode properties, and case folding. Independent of the
// expression syntax.

/** Membership test for a code point. */
export type Has = (codePoint: number) => boolean;

/** A character set. Sets with equal names are equal. */
export interface Characters {
  readonly name: string;
  readonly has: Has;
}

/** Inclusive ranges of code points. */
export type Ranges = readonly (readonly [number, number])[];

export const MOST = 0x10ffff;

const digit: Ranges = [[0x30, 0x39]];
const lower: Ranges = [[0x61, 0x7a]];
const upper: Ranges = [[0x41, 0x5a]];
const alpha = [...upper, ...lower];
const alnum = [...digit, ...alpha];
const word = [...alnum, [0x5f, 0x5f]] as Ranges;

/** POSIX classes, by the name between `[:` and `:]`. */
export const POSIX: Readonly<Record<string, Ranges>> = {
  alnum,
  alpha,
  ascii: [[0, 0x7f]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit,
  graph: [[0x21, 0x7e]],
  lower,
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper,
  word,
  xdigit: [...digit, [0x41, 0x46], [0x61, 0x66]],
};

/** The characters that Python's `str.isspace` accepts. */
const SPACES: Ranges = [
  [9, 13],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];

/** I, i, and the Turkish dotted I and dotless i. */
const DOTTED: readonly number[] = [0x49, 0x69, 0x130, 0x131];

const escaped = (codePoint: number) => `\\u{${codePoint.toString(16)}}`;

/**
 * A set defined by a native regular expression. The pattern cannot be slow, because it only matches single
 * characters.
 */
function native(source: string, fold: boolean): Characters {
  const pattern = new RegExp(`^${source}$`, fold ? "iu" : "u");
  return { name: `${source}${fold ? "i" : ""}`, has: (codePoint) => pattern.test(String.fromCodePoint(codePoint)) };
}

/**
 * The characters in any of the ranges. With `fold`, also those that differ only in case, as in Python's `re`:
 * Unicode simple case folding, with all variants of i equal.
 */
export function inRanges(ranges: Ranges, fold: boolean): Characters {
  const source = `[${ranges.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join("")}]`;
  if (fold) {
    const { name, has } = native(source, true);
    return DOTTED.some(has)
      ? { name, has: (codePoint) => DOTTED.includes(codePoint) || has(codePoint) }
      : { name, has };
  }
  return { name: source, has: (codePoint) => ranges.some(([from, to]) => codePoint >= from && codePoint <= to) };
}

/** `\d`, `\s` and `\w` as defined by Python's `re` for str. None of them depends on case. */
export const PERL: Readonly<Record<string, Characters>> = {
  d: native("\\p{Nd}", false),
  s: inRanges(SPACES, false),
  w: native("[\\p{L}\\p{N}_]", false),
};

/** A Unicode general category or script, by its RE2 name; null if the name is unknown. */
export function property(name: string, fold: boolean): Characters | null {
  if (name === "Any") return inRanges([[0, MOST]], false);
  if (!/^\w+$/.test(name)) return null;
  try {
    return native(`\\p{${name.length <= 2 ? "gc" : "sc"}=${name}}`, fold);
  } catch {
    return null;
  }
}

/** The complement of a set. */
export const without = ({ name, has }: Characters): Characters => ({
  name: `^${name}`,
  has: (codePoint) => !has(codePoint),
});

/** The union of several sets. */
export function anyOf(sets: readonly Characters[]): Characters {
  if (sets.length === 1) return sets[0] as Characters;
  return { name: sets.map(({ name }) => name).join("|"), has: (codePoint) => sets.some(({ has }) => has(codePoint)) };
}
