// Pagination cursors: the position where a list continues, opaque to the client.
import { ApiError } from "../../core/faults/errors.ts";

/** Encodes the list's tag and the last row's key as base64url. `key` must be ASCII, as ids and times are. */
export function encodeCursor(tag: string, key: readonly (string | number)[]): string {
  return btoa(JSON.stringify([tag, ...key]))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

/**
 * Validators for the parts of a key, so that a forged cursor is rejected here and not by the database. `text`
 * is printable ASCII. `instant` is a time in ms up to the year 9999, which Postgres parses as a Date prints
 * it. `index` fits a smallint.
 */
const PARTS = {
  text: (part: unknown) => typeof part === "string" && /^[\x20-\x7e]*$/.test(part),
  instant: (part: unknown) => isWithin(part, 253_402_300_799_999),
  index: (part: unknown) => isWithin(part, 32_767),
};
type PartType = keyof typeof PARTS;

const isWithin = (part: unknown, max: number) =>
  Number.isInteger(part) && (part as number) >= 0 && (part as number) <= max;

/**
 * Decodes the key of a cursor; `shape` gives the type of each part. Throws ApiError `invalid_request`, naming
 * `cursor`, if the cursor is not from this list.
 */
export function decodeCursor<const S extends readonly PartType[]>(tag: string, cursor: string, shape: S) {
  const [found, ...key] = parsed(cursor);
  const fits =
    found === tag && key.length === shape.length && key.every((part, i) => PARTS[shape[i] as PartType](part));
  if (!fits) {
    throw new ApiError("invalid_request", "The cursor was not returned by this list.", {
      errors: [{ path: "cursor", message: "must be an unchanged next_cursor that the same list returned" }],
    });
  }
  return key as { [K in keyof S]: S[K] extends "text" ? string : number };
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
