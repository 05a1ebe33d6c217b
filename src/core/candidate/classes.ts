// Equivalence classes of the candidates in a group, and the content keys that seed their order.

/**
 * Classes of equal candidates within a group. `classOf[r]` is a class index, or null if rollout r is
 * malformed.
 */
export interface Classes {
  classOf: readonly (number | null)[];
  /** Rollout indices of each class, in ascending order. */
  members: readonly (readonly number[])[];
}

/**
 * 128-bit hash of the prompt and a candidate's content. Seeds the order of comparisons, so that a candidate's
 * position in the group has no influence.
 */
export type ContentKey = readonly [number, number, number, number];

/** Compares two keys; returns -1, 0 or 1. */
export function compareKeys(a: ContentKey, b: ContentKey): number {
  for (let i = 0; i < 4; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
