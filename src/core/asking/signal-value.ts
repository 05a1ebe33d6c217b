// The one form in which a signal's values stand: a number or null for each rollout, with a code beside every
// null.
import type { ItemErrorCode } from "../faults/errors.ts";

/** One rollout's value of a signal or of an expression; exactly one of the two is null. */
export type Valued = { value: number; code: null } | { value: null; code: ItemErrorCode };

/** A closed interval in which every value lies. */
export type ValueRange = readonly [low: number, high: number];

export const without = (code: ItemErrorCode): Valued => ({ value: null, code });
/**
 * The number, -0 as 0 as everywhere on the wire; one that came out not finite is `unbounded` here,
 * so that nothing is computed, compared or averaged with it.
 */
export const valued = (value: number): Valued =>
  Number.isFinite(value) ? { value: value + 0, code: null } : without("unbounded");

/** The first null among the values, in their order; null when all are numbers. */
export function firstMissing(values: readonly Valued[]): Valued | null {
  return values.find(({ value }) => value === null) ?? null;
}
