// Request ids: ULIDs that sort by time, even within one millisecond of one isolate.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARS = 16;

/** A ULID: 10 characters of time and 16 of randomness, in Crockford's base 32. */
export const ULID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * Encodes the time part of an id. Ids created before `ms` sort below it, those created at or after `ms`
 * above.
 */
export function encodeTime(ms: number): string {
  let rest = ms;
  let text = "";
  for (let i = 0; i < 10; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = digits[i] as number;
    digits[i] = (digit + 1) % 32;
    if (digit < 31) return;
  }
}

/** Maximum number of replicas, which fits the 11th character of an id as a hexadecimal digit. */
export const REPLICAS_MAX = 16;

/**
 * Creates a generator of ULIDs in call order. `now` returns ms since 1970; if it goes backwards, the last
 * time is used.
 * @param replica number from 0 to 15 of a replica without shared storage. A proxy reads the number from a
 * batch's id to find the replica that holds the batch.
 */
export function createRequestIds(now: () => number, replica: number | null = null): () => string {
  let last = -1;
  const digits = new Uint8Array(RANDOM_CHARS);
  return () => {
    const ms = Math.max(now(), last);
    if (ms > last) {
      crypto.getRandomValues(digits);
      for (let i = 0; i < digits.length; i++) digits[i] = (digits[i] as number) & 31;
      // A clear top bit leaves room to count up within the millisecond without overflow.
      digits[0] = replica ?? (digits[0] as number) & (REPLICAS_MAX - 1);
      last = ms;
    } else {
      increment(digits);
    }
    let tail = "";
    for (const digit of digits) tail += ALPHABET[digit];
    return encodeTime(ms) + tail;
  };
}
