// Numbers that are configured per key: parses GROUP_SIZES and LOG_DAYS, and looks up a key's group size.
// Independent of HTTP and storage.
import { LIMITS } from "../faults/limits.ts";

/** Name of the entry for all keys that are not listed. */
export const EVERYONE = "*";

const ENTRY = /^(\*|[A-Za-z0-9._-]{1,64})=(\d{1,5})$/;

type ByKey = ReadonlyMap<string, number>;

export const parseGroupSizes = (text: string): ByKey => parseByKey(text, LIMITS.rollouts_per_group_max);

/** Parses the number of days for which the run log keeps each key's rows. */
export const parseLogDays = (text: string): ByKey => parseByKey(text, LIMITS.log_days_max);

/**
 * Parses `trainer=8;*=16`, one number per key name. `*` applies to keys that are not listed and to requests
 * without a key.
 * @throws RangeError for any other syntax
 */
function parseByKey(text: string, max: number): ByKey {
  const sizes = new Map<string, number>();
  for (const entry of text.split(/[;\s]+/).filter((part) => part !== "")) {
    const [, name = "", digits] = ENTRY.exec(entry) ?? [];
    const size = Number(digits);
    const wrong = name === "" || sizes.has(name) || size < 1 || size > max;
    if (wrong || sizes.size > LIMITS.keys_max)
      throw new RangeError("not a number for a key, or a key that is listed twice");
    sizes.set(name, size);
  }
  return sizes;
}

/** Group size of a key, or undefined if none is configured. Requests without a key use the `*` entry. */
export function groupSizeOf(sizes: ReadonlyMap<string, number> | undefined, key: string | null): number | undefined {
  return (key === null ? undefined : sizes?.get(key)) ?? sizes?.get(EVERYONE);
}
