// Owns the length of the longest common subsequence, by bits: 32 places of one sequence at a time.

type Places = ReadonlyMap<string, Uint32Array>;

const PLACES = new WeakMap<readonly string[], Places>();

/** Those of a sequence that many are compared with, once. */
function placesOf(units: readonly string[]): Places {
  const known = PLACES.get(units) ?? placed(units);
  PLACES.set(units, known);
  return known;
}

/** Of each unit its places in a sequence, as bits of 32-bit words. */
function placed(units: readonly string[]): Places {
  const words = Math.ceil(units.length / 32);
  const places = new Map<string, Uint32Array>();
  units.forEach((unit, at) => {
    const bits = places.get(unit) ?? new Uint32Array(words);
    bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
    places.set(unit, bits);
  });
  return places;
}

/**
 * Length of the longest common subsequence of two sequences, units; a * b / 32 steps (Hyyrö 2004,
 * "Bit-parallel LCS-length computation revisited").
 * @param a the one that others are compared with too
 */
export function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(a);
  // A zero at a place of `a`: the row's length grows there.
  const row = new Uint32Array(Math.ceil(a.length / 32)).fill(0xffff_ffff);
  for (const unit of b) {
    const bits = places.get(unit);
    if (bits === undefined) continue;
    let carry = 0;
    for (let i = 0; i < row.length; i++) {
      const word = row[i] as number;
      const met = (word & (bits[i] as number)) >>> 0;
      const sum = word + met + carry;
      carry = sum > 0xffff_ffff ? 1 : 0;
      row[i] = sum | (word & ~met);
    }
  }
  // Beyond the last place all bits stay as they are.
  return row.reduce((sum, word) => sum + zerosIn(word), 0);
}

function zerosIn(word: number): number {
  let count = 0;
  for (let left = ~word >>> 0; left !== 0; left = (left & (left - 1)) >>> 0) count++;
  return count;
}
