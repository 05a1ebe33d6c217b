// Deterministic randomness: content hashes for seeds, a small generator, and shuffling. Not cryptographic.

/**
 * 128-bit hash of the UTF-16 code units of all parts, computed in two 32-bit lanes. Parts are separated, so
 * ("ab","c") differs from ("a","bc").
 */
export function hashText(...parts: readonly (string | number)[]): readonly [number, number, number, number] {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (const part of parts) {
    const text = typeof part === "string" ? part : String(part);
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      h1 = Math.imul(h1 ^ unit, 2654435761);
      h2 = Math.imul(h2 ^ unit, 1597334677);
    }
    h1 = Math.imul(h1 ^ (0x10000 + text.length), 2246822507);
    h2 = Math.imul(h2 ^ (0x20000 + text.length), 3266489909);
  }
  const a = mix(h1 ^ (h2 >>> 16));
  const b = mix(h2 ^ (h1 >>> 13));
  return [a, b, mix(a + 0x9e3779b9 + b), mix(b + 0x85ebca6b + Math.imul(a, 31))];
}

/** The 32-bit finaliser of MurmurHash3 (Appleby, public domain). */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * The generator sfc32 (Chris Doty-Humphrey, PractRand). Returns uniform numbers in [0, 1) with 32 bits of
 * resolution. A numeric seed is hashed with `hashText`.
 */
export function createRandom(seed: number | readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = typeof seed === "number" ? hashText("seed", seed) : seed;
  const next = () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/** Returns a shuffled copy (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
