// Owns the stored default group size of each key: the grammar of GROUP_SIZES and its look-up. Must
// not know HTTP or storage.
import { LIMITS } from "../faults/limits.ts";

/** For keys that are not named. */
const EVERYONE = "*";

const ENTRY = /^(\*|[A-Za-z0-9._-]{1,64})=(\d{1,4})$/;

/**
 * Reads `trainer=8;*=16`: samples of a prompt by key name; `*` is every key that is not named.
 * @throws RangeError for anything else
 */
export function parseGroupSizes(text: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const entry of text.split(/[;\s]+/).filter((part) => part !== "")) {
    const [, name = "", digits] = ENTRY.exec(entry) ?? [];
    const size = Number(digits);
    const wrong = name === "" || sizes.has(name) || size < 1 || size > LIMITS.rollouts_per_group_max;
    if (wrong || sizes.size > LIMITS.keys_max) throw new RangeError("not a key's group size, or a key named twice");
    sizes.set(name, size);
  }
  return sizes;
}

/**
 * The size for a key; undefined when it has none. Callers of an open deployment have no name and
 * share that of `*`.
 */
export function groupSizeOf(sizes: ReadonlyMap<string, number> | undefined, key: string | null): number | undefined {
  return (key === null ? undefined : sizes?.get(key)) ?? sizes?.get(EVERYONE);
}
