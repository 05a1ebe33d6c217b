// The classes of equal candidates in a group, and the content keys that seed their orders.

/**
 * Rollouts of one group by candidate: `classOf[r]` is a class index, or null when the rollout is
 * malformed.
 */
export interface Classes {
  classOf: readonly (number | null)[];
  /** Rollout indices of each class, ascending. */
  members: readonly (readonly number[])[];
}

/**
 * 128 bits of a candidate's content (and its prompt): what seeds orders, never its position in the
 * group.
 */
export type ContentKey = readonly [number, number, number, number];

/** Content order of two keys: -1, 0 or 1. */
export function compareKeys(a: ContentKey, b: ContentKey): number {
  for (let i = 0; i < 4; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
