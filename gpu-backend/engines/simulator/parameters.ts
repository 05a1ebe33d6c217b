// Parameters of the simulated engine and verifier for each model size, derived from hardware data.

/** Size of a dense model with grouped-query attention; bf16 weights and KV cache. */
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
  /** Defaults of vLLM's API server: the larger ones from 70 GiB on, except for the A100. */
  sequences_max: number;
  step_tokens_max: number;
}

/** Published configurations of Qwen2.5, which the DeepSeek-R1-Distill-Qwen models share. */
const SHAPES = {
  "sim-1.5b": { parameters: 1.54e9, layers: 28, kv_heads: 2, head_dim: 128 },
  "sim-7b": { parameters: 7.62e9, layers: 28, kv_heads: 4, head_dim: 128 },
  "sim-14b": { parameters: 14.77e9, layers: 48, kv_heads: 8, head_dim: 128 },
} as const satisfies Record<string, ModelShape>;

const GIB = 2 ** 30;

/** Bandwidth and dense bf16 rate from the data sheets of the SXM versions; memory as reported by drivers. */
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
 * Shares of the data-sheet values that a serving engine reaches, and fixed costs. Assumptions: see README.md.
 */
export const ASSUMED = {
  bandwidth_share: 0.8,
  flops_share: 0.5,
  memory_share: 0.9,
  activation_bytes: 4e9,
  step_overhead_s: 0.001,
} as const;

const BYTES = 2;

/** One engine on one GPU, as input for the queueing model. Times in seconds. */
export interface EngineParameters {
  /** Fixed cost of a step: scheduling, sampling, kernel launches. */
  step_overhead_s: number;
  /** Time to read all weights once; the minimum time of a step. */
  weights_read_s: number;
  /** Time to compute one token of a prompt or an answer. The inverse is the prefill rate. */
  token_compute_s: number;
  /** Time to read one token of context, per step and per stream. */
  kv_read_s: number;
  /** Tokens whose keys and values fit in memory. */
  kv_tokens_max: number;
  /** Batch slots. */
  sequences_max: number;
  /** Maximum prompt tokens computed in one step. */
  step_tokens_max: number;
  /** Maximum tokens of prompt and answer together. */
  context_tokens_max: number;
  /** Tokens per block of the prefix cache. */
  block_tokens: number;
  prefix_cache: boolean;
}

/**
 * The engine parameters for a model on a GPU. README.md explains the arithmetic, and a test checks that the
 * two agree.
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

/** How a verifier answers. Natural logarithms; noise.ts has the model. */
export interface NoiseParameters {
  /** Log-odds between two candidates per pass-rate gap of 1. */
  discrimination: number;
  /** Share of generations that choose uniformly among the candidates. */
  lapse_rate: number;
  /** Log-odds added to the candidate shown as A. */
  position_bias: number;
  /** Share of complete answers that end in exactly one readable box. */
  parse_rate: number;
  /** Share of generations that loop on a phrase until the token limit. */
  loop_rate: number;
  /**
   * Log-normal length of the thinking before any cut: the median, and in `thinking_sigma` the deviation of
   * its logarithm. With a median of 0, the verifier answers immediately, and the distribution at the box
   * equals its choice probabilities.
   */
  thinking_median_tokens: number;
  thinking_sigma: number;
  /** Sharpness of the distribution at the box: 1 matches the variation among the generations. */
  box_sharpness: number;
}

/**
 * `discrimination` is solved for the accuracies in README.md; the other values are assumptions listed there.
 */
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
