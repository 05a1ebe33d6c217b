// The simulator's parameters: what an engine and a verifier of each size do, from hardware arithmetic.

/** Sizes of one dense model with grouped-query attention; bf16 weights and KV cache. */
interface ModelShape {
  parameters: number;
  layers: number;
  kv_heads: number;
  head_dim: number;
}

interface Gpu {
  memory_bytes: number;
  bandwidth_bytes_s: number;
  bf16_flops: number;
  /** The defaults of vLLM's API server: large ones from 70 GiB on, except for the A100. */
  sequences_max: number;
  step_tokens_max: number;
}

/** Qwen2.5's published configurations, which the DeepSeek-R1-Distill-Qwen models keep. */
const SHAPES = {
  "sim-1.5b": { parameters: 1.54e9, layers: 28, kv_heads: 2, head_dim: 128 },
  "sim-7b": { parameters: 7.62e9, layers: 28, kv_heads: 4, head_dim: 128 },
  "sim-14b": { parameters: 14.77e9, layers: 48, kv_heads: 8, head_dim: 128 },
} as const satisfies Record<string, ModelShape>;

const GIB = 2 ** 30;

/**
 * Bandwidth and dense bf16 rate from the data sheets of the SXM versions; memory as drivers report
 * it.
 */
const GPUS = {
  h200: {
    memory_bytes: 139 * GIB,
    bandwidth_bytes_s: 4.8e12,
    bf16_flops: 989e12,
    sequences_max: 1024,
    step_tokens_max: 8192,
  },
  a100: {
    memory_bytes: 79 * GIB,
    bandwidth_bytes_s: 2.039e12,
    bf16_flops: 312e12,
    sequences_max: 256,
    step_tokens_max: 2048,
  },
} as const satisfies Record<string, Gpu>;

export type ModelName = keyof typeof SHAPES;
export type GpuName = keyof typeof GPUS;
export const MODEL_NAMES = Object.keys(SHAPES) as ModelName[];
export const GPU_NAMES = Object.keys(GPUS) as GpuName[];

/**
 * Shares of the data sheet that a serving engine reaches, and fixed costs. Assumed: see README.md.
 */
export const ASSUMED = {
  bandwidth_share: 0.8,
  flops_share: 0.5,
  memory_share: 0.9,
  activation_bytes: 4e9,
  step_overhead_s: 0.001,
} as const;

const BYTES = 2;

/** One engine on one GPU, as the queueing model takes it. Times in seconds. */
export interface EngineParameters {
  /** Fixed cost of a step: scheduling, sampling, launches. */
  step_overhead_s: number;
  /** Reading all weights once; a step cannot be faster. */
  weights_read_s: number;
  /** Computing one token, of a prompt or of an answer. Its inverse is the prefill rate. */
  token_compute_s: number;
  /** Reading one token of context, in each step and for each stream that has it. */
  kv_read_s: number;
  /** Tokens whose keys and values fit in memory. */
  kv_tokens_max: number;
  /** Batch slots. */
  sequences_max: number;
  /** Prompt tokens computed in one step, at most. */
  step_tokens_max: number;
  /** Prompt and answer together. */
  context_tokens_max: number;
  /** Tokens of a block of the prefix cache. */
  block_tokens: number;
  prefix_cache: boolean;
}

/**
 * The engine for a model on a GPU. The arithmetic is spelt out in README.md, and a test holds the
 * two together.
 */
export function engineParameters(model: ModelName, gpu: GpuName): EngineParameters {
  const shape: ModelShape = SHAPES[model];
  const { memory_bytes, bandwidth_bytes_s, bf16_flops, sequences_max, step_tokens_max } = GPUS[gpu];
  const weights_bytes = shape.parameters * BYTES;
  const kv_bytes = 2 * shape.layers * shape.kv_heads * shape.head_dim * BYTES;
  const bandwidth = bandwidth_bytes_s * ASSUMED.bandwidth_share;
  const kv_room = memory_bytes * ASSUMED.memory_share - weights_bytes - ASSUMED.activation_bytes;
  return {
    step_overhead_s: ASSUMED.step_overhead_s,
    weights_read_s: weights_bytes / bandwidth,
    token_compute_s: (2 * shape.parameters) / (bf16_flops * ASSUMED.flops_share),
    kv_read_s: kv_bytes / bandwidth,
    kv_tokens_max: Math.floor(kv_room / kv_bytes),
    sequences_max,
    step_tokens_max,
    context_tokens_max: 32_768,
    block_tokens: 16,
    prefix_cache: true,
  };
}

/** How a verifier answers. Natural logarithms; see noise.ts for the model. */
export interface NoiseParameters {
  /** Log-odds between two candidates for a pass-rate gap of 1. */
  discrimination: number;
  /** Share of generations that choose among the candidates evenly, whatever they are. */
  lapse_rate: number;
  /** Log-odds added to the candidate shown as A. */
  position_bias: number;
  /** Share of complete answers that end in one readable box. */
  parse_rate: number;
  /** Share of generations that fall into repeating a phrase until the budget ends. */
  loop_rate: number;
  /**
   * Log-normal length of the thinking before any cut: its median, and the deviation of its
   * logarithm. A median of 0: it answers at once, and the distribution at the box is the
   * probability with which it chooses.
   */
  thinking_median_tokens: number;
  thinking_sigma: number;
  /**
   * How sharp the distribution at the box is: 1 spreads it as far as the generations differ among
   * each other.
   */
  box_sharpness: number;
}

/** `discrimination` is solved for the accuracies of README.md, the rest is assumed there. */
const NOISE: Record<ModelName, NoiseParameters> = {
  "sim-1.5b": {
    discrimination: 2.65,
    lapse_rate: 0.1,
    position_bias: 0.5,
    parse_rate: 0.9,
    loop_rate: 0.02,
    thinking_median_tokens: 2_800,
    thinking_sigma: 0.7,
    box_sharpness: 1.5,
  },
  "sim-7b": {
    discrimination: 4.6,
    lapse_rate: 0.04,
    position_bias: 0.25,
    parse_rate: 0.97,
    loop_rate: 0.005,
    thinking_median_tokens: 2_400,
    thinking_sigma: 0.6,
    box_sharpness: 1.5,
  },
  "sim-14b": {
    discrimination: 5.67,
    lapse_rate: 0.02,
    position_bias: 0.15,
    parse_rate: 0.99,
    loop_rate: 0.002,
    thinking_median_tokens: 2_200,
    thinking_sigma: 0.55,
    box_sharpness: 1.5,
  },
};

export function noiseParameters(model: ModelName): NoiseParameters {
  return NOISE[model];
}
