// Decides what a simulated verifier answers, as one seeded draw from the candidates' labels. Independent of
// text and time.
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import type { NoiseParameters } from "./parameters.ts";

/**
 * The pass-rate label in a candidate, as a line comment: `# pass_rate=0.8`, `// pass_rate=0.8`, `-- pass_rate
 * = 1`.
 */
const LABEL = /(?:#|\/\/|--)\s{0,8}pass_rate\s{0,4}=\s{0,4}(1(?:\.0+)?|0?\.\d+|0)(?![\d.])/;

/** A candidate's pass rate: its label, or a hash of its text, uniform in [0, 1). */
export function passRateOf(code: string): number {
  const label = LABEL.exec(code);
  return label === null ? hashText("pass_rate", code)[0] / 4_294_967_296 : Number(label[1]);
}

/** Returns the pass rate of a candidate's text. */
export type RateOf = (text: string) => number;

/** The pass rates of the candidates. A single candidate competes against its complement, 1 - rate. */
const ratesOf = (texts: readonly string[], rateOf: RateOf): number[] => {
  const rates = texts.map(rateOf);
  const [only] = rates;
  return rates.length === 1 ? [only as number, 1 - (only as number)] : rates;
};

/**
 * The probability of each letter before parse failures: (1 - lapse) softmax(discrimination * pass rate + bias
 * of A) + lapse / k. For two candidates, the log-odds of the better one are `discrimination * gap`, plus or
 * minus the bias.
 */
export function letterProbabilities(rates: readonly number[], noise: NoiseParameters): number[] {
  const pulls = rates.map((rate, i) => noise.discrimination * rate + (i === 0 ? noise.position_bias : 0));
  const top = Math.max(...pulls);
  const weights = pulls.map((pull) => Math.exp(pull - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => ((1 - noise.lapse_rate) * weight) / total + noise.lapse_rate / rates.length);
}

export type Ending = "box" | "no_box" | "two_boxes" | "bad_content";

/** The parts of a question that a draw needs. */
export interface Asked {
  question: string;
  candidates: readonly { code: string }[];
}

export interface Draw {
  /** Index of the chosen candidate. For a single candidate, 0 if it passes, otherwise 1. */
  choice: number;
  /** Quality of each candidate, 0 to 1. */
  levels: number[];
  /** Score of each candidate, 0 to 10. */
  scores: number[];
  /** Log probabilities of the letters at the token in the box. */
  box_logprobs: number[];
  /** How the answer ends if it is not cut. */
  ending: Ending;
  /** Thinking tokens before any cut; 0: the verifier answers immediately, without tags. */
  thinking_tokens: number;
  /** Whether the thinking loops until it is cut. */
  loops: boolean;
}

/**
 * Truncates the log-normal tail at 4 standard deviations; larger values are artifacts, not model behaviour.
 */
const Z_MAX = 4;

/**
 * Draws one generation. A single candidate with rate p competes with one of rate 1 - p, without position
 * bias, so it passes with log-odds discrimination * (2p - 1). The utilities of the candidates get independent
 * Gumbel noise, so that the largest is chosen with the softmax probabilities of `letterProbabilities`
 * (Gumbel-max). The scores and the distribution at the box use the same noisy utilities. Equal arguments give
 * an equal draw.
 */
export function drawVerdict(prompt: Asked, noise: NoiseParameters, seed: string, rateOf: RateOf = passRateOf): Draw {
  const codes = prompt.candidates.map(({ code }) => code);
  const alone = codes.length === 1;
  const random = createRandom(hashText("draw", seed, prompt.question, ...codes));
  const open = () => (Math.floor(random() * 4_294_967_295) + 0.5) / 4_294_967_295;
  const lapsed = random() < noise.lapse_rate;
  const utilities = ratesOf(codes, rateOf).map((rate, i) => {
    const gumbel = -Math.log(-Math.log(open()));
    const pull = lapsed ? 0 : noise.discrimination * rate + (i === 0 && !alone ? noise.position_bias : 0);
    return pull + gumbel;
  });
  // With a thinking trace, the noise is fixed before the letter, so only a verifier without thinking shows
  // its true choice probabilities.
  const direct = noise.thinking_median_tokens === 0;
  const bias = alone ? 0 : noise.position_bias;
  const odds = direct && letterProbabilities(ratesOf(codes, rateOf), { ...noise, position_bias: bias }).map(Math.log);
  const levels = alone ? [levelAlone(utilities, noise)] : utilities.map((utility) => levelOf(utility, lapsed, noise));
  return {
    choice: utilities.indexOf(Math.max(...utilities)),
    levels,
    scores: levels.map((level) => Math.round(10 * level)),
    box_logprobs: odds || logSoftmax(utilities.map((utility) => utility * noise.box_sharpness)),
    ending: drawEnding(random, noise.parse_rate),
    thinking_tokens: drawThinking(open(), open(), noise),
    loops: random() < noise.loop_rate && !direct,
  };
}

const GUMBEL_MEAN = 0.5772156649;

const within = (level: number): number => Math.min(1, Math.max(0, level));

const levelOf = (utility: number, lapsed: boolean, { discrimination }: NoiseParameters): number =>
  within((utility - GUMBEL_MEAN) / Math.max(discrimination, 1e-9) + (lapsed ? 0.5 : 0));

/** The quality of a single candidate from its two utilities: above 1/2 if the candidate passes. */
function levelAlone([passes = 0, fails = 0]: readonly number[], { discrimination }: NoiseParameters): number {
  return within(0.5 + (passes - fails) / (2 * Math.max(discrimination, 1e-9)));
}

function logSoftmax(values: readonly number[]): number[] {
  const top = Math.max(...values);
  const log = top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
  return values.map((value) => value - log);
}

function drawEnding(random: () => number, parseRate: number): Ending {
  if (random() < parseRate) return "box";
  const kind = random();
  return kind < 0.6 ? "no_box" : kind < 0.8 ? "two_boxes" : "bad_content";
}

/** A log-normal draw by the Box-Muller transform. */
function drawThinking(u: number, v: number, { thinking_median_tokens, thinking_sigma }: NoiseParameters): number {
  const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
  if (thinking_median_tokens === 0) return 0;
  const z = Math.min(Z_MAX, Math.max(-Z_MAX, normal));
  return Math.max(1, Math.round(thinking_median_tokens * Math.exp(thinking_sigma * z)));
}
