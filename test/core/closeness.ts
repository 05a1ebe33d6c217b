// The comparison of numbers with golden values: equal nulls, or a difference within the tolerance.
import { expect } from "vitest";

const EXACT = 1e-12;

export function expectClose(actual: number | null, expected: number | null, tolerance = EXACT): void {
  if (expected === null || actual === null) expect(actual).toBe(expected);
  else expect(Math.abs(actual - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(tolerance);
}

export function expectAllClose(
  actual: readonly (number | null)[] | null,
  expected: readonly (number | null)[] | null,
  tolerance = EXACT,
): void {
  expect(actual === null).toBe(expected === null);
  expect(actual ?? []).toHaveLength(expected?.length ?? 0);
  for (const [i, value] of (expected ?? []).entries()) expectClose(actual?.[i] as number | null, value, tolerance);
}
