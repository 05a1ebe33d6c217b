// The soft overlong punishment.
import type { Overlong } from "../contract/spec.ts";

/**
 * DAPO Eq. 13 (arXiv 2503.14476): with M = max_tokens and C = cache_tokens, 0 up to M - C, then
 * falling by 1/C a token to exactly
 * -1 at M; beyond M it stays at -1 when `clamp`, else keeps falling (verl, NeMo-RL, ms-swift).
 * `lengthTokens` counts generated tokens, the prompt excluded. In [-1, 0] when clamped; never -0. 0
 * < C <= M is the schema's to hold.
 */
export function softOverlong(lengthTokens: number, { max_tokens, cache_tokens, clamp }: Overlong): number {
  const excess = lengthTokens - (max_tokens - cache_tokens);
  if (excess <= 0) return 0;
  const punishment = -excess / cache_tokens;
  return clamp ? Math.max(punishment, -1) : punishment;
}
