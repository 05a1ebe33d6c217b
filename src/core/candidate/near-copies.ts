// Owns which candidates of a group are copies of one another but for little: a comment, names, a
// line that does nothing. Knows no schedule.
import { log2, power } from "../math/elementary.ts";

/** Characters of a text that are read. */
const READ_CHARS = 8192;
/** Shorter texts, as answers that are a number, may differ in little and say something else. */
const CHARS_LEAST = 24;
/** Pieces of so many characters are compared, blanks left out. */
const PIECE_CHARS = 5;
/** Pieces of a text that are compared at most: those of the least hashes, the same in every text. */
const PIECES_MOST = 512;
/** Shares of the shorter one's pieces that a copy has, and of the longer one's at least. */
const SHARED_LEAST = 0.8;
const SIZE_LEAST = 0.5;

/**
 * Whether any two of these different texts are near-copies: most pieces of the shorter one stand in
 * the other, as they are or with every name the same. Costs the square of the texts times
 * PIECES_MOST at most.
 */
export function hasNearCopies(texts: readonly string[]): boolean {
  const written = texts.map((text) => text.slice(0, READ_CHARS).toLowerCase().replace(/\s+/g, ""));
  const named = texts.map((text) =>
    text
      .slice(0, READ_CHARS)
      .toLowerCase()
      .replace(/[\p{L}_][\p{L}\p{N}_]*/gu, "w")
      .replace(/\s+/g, ""),
  );
  return anyAlike(written) || anyAlike(named);
}

function anyAlike(texts: readonly string[]): boolean {
  const long = texts.filter((text) => text.length >= CHARS_LEAST);
  const all = long.map(piecesOf);
  const kept = power(2, Math.ceil(log2(Math.max(1, ...all.map((pieces) => pieces.size / PIECES_MOST)))));
  const sampled = all.map((pieces) => [...pieces].filter((piece) => piece % kept === 0));
  return sampled.some((pieces, i) =>
    sampled.slice(0, i).some((other, j) => {
      const [short, whole, size] =
        pieces.length <= other.length ? [pieces, all[j], other.length] : [other, all[i], pieces.length];
      if (short.length === 0 || short.length < SIZE_LEAST * size) return false;
      const shared = short.reduce((sum, piece) => sum + Number(whole?.has(piece)), 0);
      return shared >= SHARED_LEAST * short.length;
    }),
  );
}

/** Hashes of a text's pieces. */
function piecesOf(text: string): ReadonlySet<number> {
  const pieces = new Set<number>();
  for (let at = 0; at + PIECE_CHARS <= text.length; at++) {
    let hash = 0x41c6ce57;
    for (let k = 0; k < PIECE_CHARS; k++) hash = Math.imul(hash ^ text.charCodeAt(at + k), 0x9e3779b1);
    pieces.add((hash ^ (hash >>> 15)) >>> 0);
  }
  return pieces;
}
