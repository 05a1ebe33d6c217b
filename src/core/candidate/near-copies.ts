// Finds near-copies among the candidates of a group: texts that differ only in a comment, in names, or in a
// line without effect.
import { log2, power } from "../math/elementary.ts";

/** Number of characters read per text. */
const READ_CHARS = 8192;
/** Minimum length. Shorter texts, such as numeric answers, can differ in meaning by one character. */
const CHARS_LEAST = 24;
/** Length of the compared pieces (character n-grams), in characters without blanks. */
const PIECE_CHARS = 5;
/**
 * Maximum number of pieces compared per text. Pieces are sampled by hash, so that all texts keep the same
 * ones.
 */
const PIECES_MOST = 512;
/**
 * For a near-copy: minimum share of the shorter text's pieces that the longer text contains, and minimum size
 * of the shorter text relative to the longer.
 */
const SHARED_LEAST = 0.8;
const SIZE_LEAST = 0.5;
/** The text as written, and with all names replaced by one. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[\p{L}_][\p{L}\p{N}_]*/gu, "w"),
];

/**
 * Whether any two of these different texts are near-copies: most pieces of the shorter text occur in the
 * other, either as written or with all names replaced by one. Costs at most the square of the number of texts
 * times PIECES_MOST. Yields the steps that it took (`turn_steps`).
 */
export function* hasNearCopies(texts: readonly string[]): Generator<number, boolean> {
  for (const form of FORMS) {
    const compared: string[] = [];
    for (const text of texts) {
      const read = text.slice(0, READ_CHARS);
      compared.push(form(read.toLowerCase()).replace(/\s+/g, ""));
      yield read.length;
    }
    if (yield* anyAlike(compared.filter(({ length }) => length >= CHARS_LEAST))) return true;
  }
  return false;
}

function* anyAlike(texts: readonly string[]): Generator<number, boolean> {
  const longest = Math.max(1, ...texts.map(({ length }) => length));
  const oneOf = power(2, Math.max(0, Math.ceil(log2(longest / PIECES_MOST))));
  const before: ReadonlySet<number>[] = [];
  for (const text of texts) {
    const pieces = piecesOf(text, oneOf);
    yield text.length;
    for (const other of before) if (areAlike(pieces, other)) return true;
    yield before.length * pieces.size;
    before.push(pieces);
  }
  return false;
}

function areAlike(first: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  const [short, long] = first.size <= other.size ? [first, other] : [other, first];
  if (short.size === 0 || short.size < SIZE_LEAST * long.size) return false;
  const enough = SHARED_LEAST * short.size;
  let [shared, left] = [0, short.size];
  for (const piece of short) {
    if (long.has(piece)) shared++;
    if (shared + --left < enough) return false;
  }
  return true;
}

/** Hashes of a text's pieces, sampled: about one of every `oneOf` (a power of two). */
function piecesOf(text: string, oneOf: number): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (let at = 0; at + PIECE_CHARS <= text.length; at++) {
    let hash = 0x41c6ce57;
    for (let k = 0; k < PIECE_CHARS; k++) hash = Math.imul(hash ^ text.charCodeAt(at + k), 0x9e3779b1);
    hash ^= hash >>> 15;
    if ((hash & (oneOf - 1)) === 0) pieces.add(hash);
  }
  return pieces;
}
