// Owns the length of the longest common subsequence, by bits: 32 places of one sequence at a time.

/** Of each unit its places in a sequence, as bits of 32-bit words. */
function placesOf(units: readonly string[]): Map<string, Uint32Array> {
  const words = Math.ceil(units.length / 32);
  const places = new Map<string, Uint32Array>();
  units.forEach((unit, at) => {
    const own = places.get(unit) ?? new Uint32Array(words);
    own[at >>> 5] = (own[at >>> 5] as number) | (1 << (at & 31));
    places.set(unit, own);
  });
  return places;
}

/**
 * Length of the longest common subsequence of two sequences, units; a * b / 32 steps (Hyyrö 2004,
 * "Bit-parallel LCS-length computation revisited").
 */
export function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  const places = placesOf(a);
  // A zero at a place of `a`: the row's length grows there.
  const row = new Uint32Array(Math.ceil(a.length / 32)).fill(0xffff_ffff);
  for (const unit of b) {
    const own = places.get(unit);
    if (own === undefined) continue;
    let carry = 0;
    for (let i = 0; i < row.length; i++) {
      const word = row[i] as number;
      const met = (word & (own[i] as number)) >>> 0;
      const sum = word + met + carry;
      carry = sum > 0xffff_ffff ? 1 : 0;
      row[i] = sum | (word & ~met);
    }
  }
  let length = 0;
  for (let at = 0; at < a.length; at++) if ((((row[at >>> 5] as number) >>> (at & 31)) & 1) === 0) length++;
  return length;
}
