// The seeded draws from which the examples' hidden inputs are made.

/** Repeatable pseudo-random draws; the same seed text always gives the same sequence. */
export interface Draw {
  /** A whole number in low..high, both included. */
  int(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** `length` characters, each drawn from `alphabet`. */
  word(length: number, alphabet: string): string;
  /** `count` values of `make`. */
  list<T>(count: number, make: (index: number) => T): T[];
}

/** Draws from mulberry32 (a 32-bit counter generator), seeded with the FNV-1a hash of `seed`. */
export function createDraw(seed: string): Draw {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const unit = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (low: number, high: number): number => low + Math.floor(unit() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => items[int(0, items.length - 1)] as T;
  return {
    int,
    pick,
    word: (length, alphabet) => Array.from({ length }, () => pick([...alphabet])).join(""),
    list: (count, make) => Array.from({ length: count }, (_, index) => make(index)),
  };
}
