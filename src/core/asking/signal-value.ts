// The common form of all signal values: per rollout a number, or null with an error code.
import type { ItemErrorCode } from "../faults/errors.ts";

/** One rollout's value for a signal or an expression; exactly one of `value` and `code` is null. */
export type Valued = { value: number; code: null } | { value: null; code: ItemErrorCode };

/** Closed interval that contains every value. */
export type ValueRange = readonly [low: number, high: number];

export const without = (code: ItemErrorCode): Valued => ({ value: null, code });
/**
 * Wraps a number. -0 becomes 0, as in every request and reply. A non-finite number becomes the error
 * `unbounded`, so that it never enters a computation, comparison or average.
 */
export const valued = (value: number): Valued =>
  Number.isFinite(value) ? { value: value + 0, code: null } : without("unbounded");

/** The first missing value in the list, or null if all values are numbers. */
export function firstMissing(values: readonly Valued[]): Valued | null {
  return values.find(({ value }) => value === null) ?? null;
}
