// Defines what the capacity model is asked: the step, the judge, the tokens, the engines, the edge. Data and
// defaults alone.
import {
  type EngineParameters,
  engineParameters,
  type NoiseParameters,
  noiseParameters,
} from "../../gpu-backend/engines/simulator/parameters.ts";
import type { JudgeSettings } from "../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";

/** Tokens of what is asked and answered. */
export interface Tokens {
  /** The judge's own words in each prompt. */
  template: number;
  question: number;
  candidate: number;
  /**
   * The law of an answer's length: `lognormal` by the noise's median and sigma, as a verifier that thinks;
   * the others by their mean, for comparison with queueing theory.
   */
  law: "lognormal" | "exponential" | "fixed";
  mean: number;
  max: number;
}

export interface Autoscaler {
  min: number;
  max: number;
  /** Seconds between two looks at the gateway's queue. */
  every_s: number;
  /** The wait in the queue, seconds, over which engines are added. */
  wait_s: number;
  /** Engines added by one look at most. */
  up: number;
  /** From the decision until an engine takes work. */
  start_s: number;
  /** So long nothing may have waited before one engine is taken away. */
  idle_s: number;
}

export interface Setting {
  groups: number;
  rollouts: number;
  /** Groups of one request of the trainer. */
  groups_per_request: number;
  judge: JudgeSettings;
  tokens: Tokens;
  noise: NoiseParameters;
  engine: EngineParameters;
  gpus: number;
  /** Generations in flight at one engine at most (`ENGINE_MAX_IN_FLIGHT`); `verify` alone. */
  in_flight: number;
  protocol: "verify" | "openai";
  /** Seconds there and back: trainer and edge, edge and gateway or engine. */
  client_rtt_s: number;
  backend_rtt_s: number;
  /** The edge's own time for a request, before it asks and after the last answer. */
  edge_before_s: number;
  edge_after_s: number;
  /** A gateway's processor time for one generation. Answers of one gateway wait for each other. */
  gateway_cpu_s: number;
  autoscaler: Autoscaler | null;
  seed: number;
}

/** One request's bound in flight through `openai` (`VERIFIER_MAX_IN_FLIGHT`). */
export const OPENAI_IN_FLIGHT = LIMITS.generations_in_flight_default;
/** The most engines of one gateway (`ENGINE_URL`). */
export const GATEWAY_ENGINES = 64;

/**
 * 256 groups of 16, all pairs, one sample, judged by a 14B that thinks, on H200s. Prompts as those
 * of the committed problems; round trips, the edge's time and the gateway's a generation are assumed.
 */
export const STANDARD: Setting = {
  groups: 256,
  rollouts: 16,
  groups_per_request: 1,
  judge: { ...DEFAULT_SPEC.judge, max_tokens: 16_384 },
  tokens: { template: 200, question: 400, candidate: 700, law: "lognormal", mean: 1, max: 16_384 },
  noise: { ...noiseParameters("sim-14b"), loop_rate: 0 },
  // Wider than an engine's 16: a fourth of the work, and at most 63 tokens a prompt found too few.
  engine: { ...engineParameters("sim-14b", "h200"), block_tokens: 64 },
  gpus: 8,
  in_flight: 256,
  protocol: "verify",
  client_rtt_s: 0.02,
  backend_rtt_s: 0.02,
  edge_before_s: 0.004,
  edge_after_s: 0.004,
  gateway_cpu_s: 0.0005,
  autoscaler: null,
  seed: 1,
};
