// The soft overlong punishment.
import type { Overlong } from "../contract/spec.ts";

/**
 * DAPO Eq. 13 (arXiv 2503.14476): with M = max_tokens and C = cache_tokens, the punishment is 0 up to M - C
 * tokens, and then falls by 1/C per token to exactly -1 at M. Beyond M, it stays at -1 with `clamp`, and
 * otherwise keeps falling (as in verl, NeMo-RL and ms-swift). `lengthTokens` counts generated tokens without
 * the prompt. If clamped, the result is in [-1, 0] and never -0. The schema guarantees 0 < C <= M.
 */
export function softOverlong(lengthTokens: number, { max_tokens, cache_tokens, clamp }: Overlong): number {
  const excess = lengthTokens - (max_tokens - cache_tokens);
  if (excess <= 0) return 0;
  const punishment = -excess / cache_tokens;
  return clamp ? Math.max(punishment, -1) : punishment;
}
