// Duration of the steps of a batched engine.
import type { EngineParameters } from "./parameters.ts";

/** The work of one step. */
export interface Load {
  streams: number;
  /** Prompt tokens computed in the same step. */
  prefill_tokens: number;
  /** Total context tokens of all streams. */
  context: number;
}

export interface Pace {
  /** Duration of one step, in seconds. */
  step: number;
  /** Increase of the duration per step, because every stream's context grows by one token. */
  rise: number;
}

/**
 * Roofline model: weights are read while tokens are computed, so the longer of the two counts; then the
 * context is read.
 */
export function paceOf(engine: EngineParameters, { streams, prefill_tokens, context }: Load): Pace {
  const { step_overhead_s, weights_read_s, token_compute_s, kv_read_s } = engine;
  const computing = (streams + prefill_tokens) * token_compute_s;
  return {
    step: step_overhead_s + Math.max(weights_read_s, computing) + kv_read_s * context,
    rise: kv_read_s * streams,
  };
}

/** Duration of `steps` steps (may be fractional), in seconds. */
export function durationOf({ step, rise }: Pace, steps: number): number {
  return (step + (rise * steps) / 2) * steps;
}

/** The inverse of `durationOf`: the number of steps done in `seconds`. */
export function stepsIn({ step, rise }: Pace, seconds: number): number {
  return (2 * seconds) / (step + Math.sqrt(step * step + 2 * rise * seconds));
}
