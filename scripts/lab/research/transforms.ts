// Owns transforms of finished rewards (formulas.md f, g): PAR, noise correction, group
// normalisation, RLPR, BIR. Must not know how rewards are made.
import { sigmoid } from "../../../src/core/math/bradley-terry.ts";
import { mean } from "../../../src/core/math/stats.ts";

function requireFinite(name: string, ...values: readonly number[]): void {
  if (!values.every(Number.isFinite)) throw new RangeError(`${name} must be finite`);
}

/**
 * Preference As Reward (arXiv 2502.18770): r' = mean_m sigma(k (r - r_ref,m)), in (0, 1), 0.5 at
 * the reference.
 * @param references rewards of reference-policy answers to the same prompt, at least one
 * @throws RangeError when there is no reference or a number is not finite
 */
export function preferenceAsReward(reward: number, references: readonly number[], k = 1): number {
  if (references.length === 0) throw new RangeError("at least one reference is needed");
  requireFinite("rewards and k", reward, k, ...references);
  return mean(references.map((reference) => sigmoid(k * (reward - reference))));
}

/**
 * Error rates of a binary verifier: rho0 = P(observed 1 | true 0), rho1 = P(observed 0 | true 1).
 */
export interface VerifierNoise {
  rho0: number;
  rho1: number;
}

/** Below this Youden index the correction's variance (proportional to 1/J^2) drowns the signal. */
export const YOUDEN_MIN = 0.05;

/**
 * Youden's index J = 1 - rho0 - rho1.
 * @throws RangeError when a rate lies outside [0, 1] or J <= YOUDEN_MIN: such a verifier cannot be
 *   corrected
 */
export function youdenIndex({ rho0, rho1 }: VerifierNoise): number {
  const isRate = (rate: number) => rate >= 0 && rate <= 1;
  if (!isRate(rho0) || !isRate(rho1)) throw new RangeError("rho0 and rho1 must lie in [0, 1]");
  const index = 1 - rho0 - rho1;
  if (index <= YOUDEN_MIN) throw new RangeError(`Youden index ${index} is not above ${YOUDEN_MIN}`);
  return index;
}

/**
 * Backward correction (arXiv 2510.00915): (R~ - rho0) / J, unbiased for the true reward. With one
 * pair of rates for the whole group it is affine, so any mean-and-std normalisation after it
 * cancels it.
 */
export function backwardCorrection(observed: number, noise: VerifierNoise): number {
  return (observed - noise.rho0) / youdenIndex(noise);
}

/**
 * Forward correction (arXiv 2510.00915): the weight of the score function, w(1) = rho1 and w(0) =
 * rho1 - 1. The expected update is J times the clean one.
 */
export function forwardWeight(observed: 0 | 1, noise: VerifierNoise): number {
  youdenIndex(noise);
  return observed === 1 ? noise.rho1 : noise.rho1 - 1;
}

/**
 * The true success rate behind observed rewards: (mean R~ - rho0) / J, clipped to [0, 1]; null for
 * no rewards.
 */
export function trueRate(observed: readonly number[], noise: VerifierNoise): number | null {
  if (observed.length === 0) return null;
  return Math.min(1, Math.max(0, backwardCorrection(mean(observed), noise)));
}

/** What is added to the standard deviation: TRL 1e-4, verl 1e-6, OpenRLHF 1e-9. */
export const NORMALISATION_EPS = { trl: 1e-4, verl: 1e-6, openrlhf: 1e-9 } as const;

/** Standard deviation with n - 1; null for fewer than two values. */
export function sampleStd(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, v) => sum + (v - centre) ** 2, 0) / (values.length - 1));
}

/**
 * Group-relative advantages (r - mean) / (std + eps), std with n - 1. A group whose rewards are all
 * equal gives zeros.
 * @returns for a group of one, 0 under TRL (which takes its std as 0), null under verl and OpenRLHF
 *   (undefined there)
 */
export function groupNormalise(
  rewards: readonly number[],
  framework: keyof typeof NORMALISATION_EPS,
): (number | null)[] {
  const std = sampleStd(rewards);
  if (std === null) return rewards.map(() => (framework === "trl" ? 0 : null));
  return centre(rewards).map((difference) => difference / (std + NORMALISATION_EPS[framework]));
}

/** r - mean (TRL's `scale_rewards: none`, Dr. GRPO). */
export function centre(rewards: readonly number[]): number[] {
  if (rewards.every((r) => r === rewards[0])) return rewards.map(() => 0);
  const middle = mean(rewards);
  return rewards.map((reward) => reward - middle);
}

/**
 * REINFORCE leave-one-out: (r - mean) G / (G - 1), that is r minus the mean of the others; null for
 * a group of one.
 */
export function leaveOneOut(rewards: readonly number[]): number[] | null {
  const size = rewards.length;
  return size < 2 ? null : centre(rewards).map((difference) => (difference * size) / (size - 1));
}

/**
 * RLPR (release's prob.py): (1 - c) max(0, B - A) + c * format.
 * @param withReasoning B: mean probability of the reference answer's tokens after the reasoning
 * @param withoutReasoning A: the same without the reasoning
 * @param format the format score, usually 0 or 1
 */
export function rlprReward(withReasoning: number, withoutReasoning: number, format: number, formatShare = 0.1): number {
  requireFinite("probabilities and format", withReasoning, withoutReasoning, format, formatShare);
  return (1 - formatShare) * Math.max(0, withReasoning - withoutReasoning) + formatShare * format;
}

/**
 * Bias influence ratio (Aletheia-Adv, arXiv 2601.12186 Table 7): switches to incorrect among all
 * switches of the verdict under an attack; 0.5 is noise. null without a switch.
 */
export function biasInfluenceRatio(toIncorrect: number, toCorrect: number): number | null {
  const switches = toIncorrect + toCorrect;
  return switches === 0 ? null : toIncorrect / switches;
}
