// Owns signals from token log-probabilities (formulas.md): not called by the product yet.

/**
 * One generated token: the distribution it was drawn from, over the full vocabulary, and the index
 * drawn.
 */
export interface TokenStep {
  /** Probabilities over the vocabulary, summing to 1. */
  probabilities: readonly number[];
  chosen: number;
}

function meanOver<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / items.length;
}

function requireSteps(steps: readonly TokenStep[]): void {
  if (steps.length === 0) throw new RangeError("at least one token is needed");
}

function chosenProbability({ probabilities, chosen }: TokenStep): number {
  const p = probabilities[chosen];
  if (p === undefined) throw new RangeError(`token ${chosen} is outside the vocabulary of ${probabilities.length}`);
  return p;
}

/**
 * Self-certainty (arXiv 2502.18581): mean_t -(1/V) sum_j ln(V p_tj) = mean KL(uniform || p_t), >=
 * 0. Needs the full vocabulary; Infinity where a token has probability 0.
 */
export function selfCertainty(steps: readonly TokenStep[]): number {
  requireSteps(steps);
  return meanOver(steps, ({ probabilities }) => {
    const size = probabilities.length;
    return -meanOver(probabilities, (p) => Math.log(size * p)) + 0;
  });
}

/**
 * Intuitor's variant: mean_t (logsumexp z - mean z) = mean_t -(1/V) sum_j ln p_tj, that is
 * self-certainty + ln V.
 */
export function intuitorSelfCertainty(steps: readonly TokenStep[]): number {
  requireSteps(steps);
  return meanOver(steps, ({ probabilities }) => -meanOver(probabilities, Math.log));
}

/** Mean entropy in nats of the token distributions. RLIF's reward is its negative. */
export function meanTokenEntropy(steps: readonly TokenStep[]): number {
  requireSteps(steps);
  const entropy = (p: number) => (p > 0 ? -p * Math.log(p) : 0);
  return meanOver(steps, ({ probabilities }) => probabilities.reduce((sum, p) => sum + entropy(p), 0));
}

/**
 * Mean gap between the two most probable tokens (CoT-decoding's disparity). Needs a vocabulary of
 * at least two.
 */
export function probabilityDisparity(steps: readonly TokenStep[]): number {
  requireSteps(steps);
  return meanOver(steps, ({ probabilities }) => {
    const [first, second] = [...probabilities].sort((a, b) => b - a);
    if (first === undefined || second === undefined) throw new RangeError("a vocabulary of at least two is needed");
    return first - second;
  });
}

export interface SequenceSignals {
  /** sum_t ln p(y_t) */
  logprob: number;
  /** (1/T) sum_t ln p(y_t): trajectory entropy's reward (arXiv 2506.17219). */
  meanLogprob: number;
  /** exp of `logprob` (VeriFree). */
  probability: number;
  /** mean_t p(y_t) (RLPR). */
  meanProbability: number;
}

/** What the chosen tokens' log probabilities alone tell. */
export function sequenceSignals(logprobs: readonly number[]): SequenceSignals {
  if (logprobs.length === 0) throw new RangeError("at least one token is needed");
  const logprob = logprobs.reduce((sum, l) => sum + l, 0);
  return {
    logprob,
    meanLogprob: logprob / logprobs.length,
    probability: Math.exp(logprob),
    meanProbability: meanOver(logprobs, Math.exp),
  };
}

/** The chosen tokens' log probabilities of a sequence given with full distributions. */
export function chosenLogprobs(steps: readonly TokenStep[]): number[] {
  return steps.map((step) => Math.log(chosenProbability(step)));
}

/**
 * The log-odds of i over j from both orders of a pair; averaging removes a position bias that adds
 * to the log-odds.
 * @param shownFirst l_A - l_B where i is A
 * @param shownSecond l_A - l_B where j is A
 */
export function twoOrderLogOdds(shownFirst: number, shownSecond: number): number {
  return 0.5 * (shownFirst - shownSecond);
}
