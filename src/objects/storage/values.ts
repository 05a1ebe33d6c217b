// The storage interface of an object: named values, one alarm, and byte arrays that are split into pieces to
// fit the row limit.
import { LIMITS } from "../../core/faults/limits.ts";

/**
 * Named values of an object. Writes without an `await` in between are stored atomically; reads see every
 * write. Values are cloned, never shared.
 */
export interface Values {
  get<T>(name: string): T | undefined;
  set(name: string, value: unknown): void;
  delete(name: string): void;
  /** Values whose names start with `prefix`, in ascending order of name. */
  list<T>(prefix: string): Iterable<[string, T]>;
  /** Sets the alarm to `at`, in ms since 1970, replacing any earlier alarm. The alarm survives restarts. */
  wakeAt(at: number): void;
  /** Deletes all values and the alarm. */
  clear(): Promise<void>;
}

/** Splits bytes into pieces that each fit into a row. Empty input has no pieces. */
export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += LIMITS.object_row_bytes) {
    // Copies the bytes, because storing a view would clone its whole buffer.
    pieces.push(bytes.slice(from, from + LIMITS.object_row_bytes));
  }
  return pieces;
}

const pieceName = (name: string, index: number) => `${name}.${`${index}`.padStart(4, "0")}`;

/** Stores pieces under `name` and deletes the pieces of an earlier call. */
export function putPieces(values: Values, name: string, pieces: readonly Uint8Array[]): void {
  for (const [old] of [...values.list(`${name}.`)]) values.delete(old);
  for (const [i, piece] of pieces.entries()) values.set(pieceName(name, i), piece);
}

/** The pieces stored by `putPieces`; empty if none are stored. */
export function getPieces(values: Values, name: string): Uint8Array[] {
  return Array.from(values.list<Uint8Array>(`${name}.`), ([, piece]) => piece);
}

/** Joins pieces into one array; the inverse of `piecesOf`. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** Encodes a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Stores a value as JSON, in pieces because JSON escapes may encode one character as six bytes. */
export function putJson(values: Values, name: string, value: unknown): void {
  putPieces(values, name, piecesOf(jsonBytes(value)));
}

/** The value stored by `putJson`; undefined if none is stored. */
export function getJson<T>(values: Values, name: string): T | undefined {
  const pieces = getPieces(values, name);
  return pieces.length === 0 ? undefined : (JSON.parse(new TextDecoder().decode(joined(pieces))) as T);
}
