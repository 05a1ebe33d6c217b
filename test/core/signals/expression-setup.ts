// Helpers shared by the tests of expressions: signals with their ranges, and values of them.
import type { ValueRange } from "../../../src/core/asking/signal-value.ts";

export const RANGES: Record<string, ValueRange> = { a: [0, 1], b: [-1, 1], c: [0, 10] };
