// Finds near-copies among the candidates of a group, which differ only in a comment, in names, or in a line
// without effect.
import { log2, power } from "../math/elementary.ts";

/** Number of characters that are compared per candidate. */
const READ_CHARS = 8192;
/**
 * Minimum length. Shorter candidates, such as numeric answers, can differ in meaning by a single character.
 */
const CHARS_LEAST = 24;
/** Length of the compared pieces (character n-grams), in characters without white space. */
const PIECE_CHARS = 5;
/**
 * Maximum number of pieces that are compared per candidate. Pieces are sampled by hash, so that the same
 * pieces are kept in all candidates.
 */
const PIECES_MOST = 512;
/**
 * Two candidates are near-copies if the longer one contains at least this share of the shorter one's pieces,
 * and the shorter one has at least this size relative to the longer one.
 */
const SHARED_LEAST = 0.8;
const SIZE_LEAST = 0.5;
/** Each text as written, and with all names replaced by the same name. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/[\p{L}_][\p{L}\p{N}_]*/gu, "w"),
];

/**
 * Whether any two of these different candidates are near-copies: most pieces of the shorter one also occur in
 * the other, either as written or with all names replaced. The cost is at most the square of the number of
 * candidates, times PIECES_MOST. Yields the number of work steps it took (see `turn_steps`).
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

/** Hashes of a sample of a candidate's pieces: about one in `oneOf`, which is a power of two. */
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
