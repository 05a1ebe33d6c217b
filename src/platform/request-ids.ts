// Request ids: ULIDs that sort by time, also within one millisecond of one isolate.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARS = 16;

/** A ULID: 10 characters of time, 16 of randomness, Crockford's base 32. */
export const ULID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The time of an id. Ids made before it sort below, those made at it and later above. */
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

/** The bound of an id's 11th character: a hexadecimal digit. */
export const REPLICAS_MAX = 16;

/**
 * A source of ULIDs whose order is the order of the calls. `now` gives ms since 1970; time running backwards
 * is held. Each of several replicas without common storage has a number, from 0 to 15, in its ids, by which a
 * proxy finds the batch's replica.
 */
export function createRequestIds(now: () => number, replica?: number): () => string {
  let last = -1;
  const digits = new Uint8Array(RANDOM_CHARS);
  return () => {
    const ms = Math.max(now(), last);
    if (ms > last) {
      crypto.getRandomValues(digits);
      for (let i = 0; i < digits.length; i++) digits[i] = (digits[i] as number) & 31;
      // A clear top bit leaves room to count up within the millisecond without wrapping round.
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
