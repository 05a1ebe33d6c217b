// Defines what an object keeps, as an interface: named values, one alarm, and byte pieces below a row's
// limit.
import { LIMITS } from "../../core/faults/limits.ts";

/**
 * Writes of one turn are stored together or not at all; reads see every write. Values are cloned,
 * never shared.
 */
export interface Values {
  get<T>(name: string): T | undefined;
  set(name: string, value: unknown): void;
  delete(name: string): void;
  /** Those whose names begin with `prefix`, by name ascending. */
  list<T>(prefix: string): Iterable<[string, T]>;
  /**
   * When the object wants to be woken, ms since 1970, even if it has been restarted meanwhile. The
   * last call counts.
   */
  wakeAt(at: number): void;
  /** Everything goes, the alarm too. */
  clear(): Promise<void>;
}

/** Bytes as pieces that each fit a row. Empty bytes have no piece. */
export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += LIMITS.object_row_bytes) {
    // A copy: a view would be cloned with the whole buffer under it.
    pieces.push(bytes.slice(from, from + LIMITS.object_row_bytes));
  }
  return pieces;
}

const pieceName = (name: string, index: number) => `${name}.${`${index}`.padStart(4, "0")}`;

/** Stores pieces under their own name, over those of an earlier call. */
export function putPieces(values: Values, name: string, pieces: readonly Uint8Array[]): void {
  for (const [old] of [...values.list(`${name}.`)]) values.delete(old);
  for (const [i, piece] of pieces.entries()) values.set(pieceName(name, i), piece);
}

/** The pieces stored by putPieces; empty when it stored none. */
export function getPieces(values: Values, name: string): Uint8Array[] {
  return Array.from(values.list<Uint8Array>(`${name}.`), ([, piece]) => piece);
}

/** The bytes that piecesOf cut. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** JSON as bytes. */
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Stores JSON in pieces: of a text, JSON may make up to six bytes of one. */
export function putJson(values: Values, name: string, value: unknown): void {
  putPieces(values, name, piecesOf(jsonBytes(value)));
}

/** The value stored by putJson; undefined when it stored none. */
export function getJson<T>(values: Values, name: string): T | undefined {
  const pieces = getPieces(values, name);
  return pieces.length === 0 ? undefined : (JSON.parse(new TextDecoder().decode(joined(pieces))) as T);
}
