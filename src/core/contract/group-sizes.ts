// Numbers that are set for each key: the grammar of GROUP_SIZES and LOG_DAYS, and the look-up of a key's
// group size. Must not know HTTP or storage.
import { LIMITS } from "../faults/limits.ts";

/** For keys that are not named. */
export const EVERYONE = "*";

const ENTRY = /^(\*|[A-Za-z0-9._-]{1,64})=(\d{1,5})$/;

type ByKey = ReadonlyMap<string, number>;

export const parseGroupSizes = (text: string): ByKey => parseByKey(text, LIMITS.rollouts_per_group_max);

/** How many days the run log keeps a key's rows. */
export const parseLogDays = (text: string): ByKey => parseByKey(text, LIMITS.log_days_max);

/**
 * Reads `trainer=8;*=16`: a number by key name; `*` is every key that is not named, and no key.
 * @throws RangeError for anything else
 */
function parseByKey(text: string, max: number): ByKey {
  const sizes = new Map<string, number>();
  for (const entry of text.split(/[;\s]+/).filter((part) => part !== "")) {
    const [, name = "", digits] = ENTRY.exec(entry) ?? [];
    const size = Number(digits);
    const wrong = name === "" || sizes.has(name) || size < 1 || size > max;
    if (wrong || sizes.size > LIMITS.keys_max) throw new RangeError("not a key's number, or a key named twice");
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
