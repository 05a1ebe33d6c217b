// Owns rules that turn repeated samples of one question into one verdict, and when to stop sampling
// (formulas.md d, h). Must not know letters or prompts.

/** Votes in the order in which their values were first seen. */
export interface Plurality<T> {
  votes: Map<T, number>;
  /** The value with most votes, the first seen among equals; null without a vote. */
  winner: T | null;
  /** Whether others have as many votes as the winner. */
  tied: boolean;
}

function countVotes<T>(ballots: Iterable<readonly [T, number]>): Plurality<T> {
  const votes = new Map<T, number>();
  for (const [value, weight] of ballots) votes.set(value, (votes.get(value) ?? 0) + weight);
  const most = Math.max(...votes.values());
  const top = [...votes].filter(([, count]) => count === most).map(([value]) => value);
  return { votes, winner: top[0] ?? null, tied: top.length > 1 };
}

/**
 * Self-consistency: plurality over the parsed samples. `null` (unparsed) casts no vote; ties are
 * reported, the first seen leads.
 */
export function selfConsistency<T>(samples: readonly (T | null)[]): Plurality<T> {
  return countVotes(
    samples.filter((sample): sample is T & {} => sample !== null).map((sample) => [sample, 1] as const),
  );
}

/**
 * Plurality as in the Aletheia release's evaluate.py, for comparison only: unparsed is a value of
 * its own that can win.
 */
export function releaseSelfConsistency<T>(samples: readonly (T | null)[]): T | null {
  return countVotes(samples.map((sample) => [sample, 1] as const)).winner;
}

/** Most votes the criteria accept in all: beyond, 2^-n would leave the range of a double. */
const VOTES_MAX = 1000;

function requireCounts(counts: readonly number[]): void {
  const total = counts.reduce((sum, v) => sum + v, 0);
  if (!counts.every((v) => Number.isInteger(v) && v >= 0)) throw new RangeError("vote counts must be integers >= 0");
  if (total > VOTES_MAX) throw new RangeError(`${total} votes are over the limit of ${VOTES_MAX}`);
}

/** P(Gamma(shape, 1) <= x) for an integer shape >= 1: 1 - e^-x sum_{j<shape} x^j / j!. */
function gammaCdf(shape: number, x: number): number {
  let term = Math.exp(-x);
  let tail = term;
  for (let j = 1; j < shape; j++) {
    term *= x / j;
    tail += term;
  }
  return 1 - tail;
}

function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

/**
 * Adaptive-Consistency's Dirichlet criterion: P(p_0 > every other p_i), p ~ Dir(counts + 1). Give
 * all k options, zeros included.
 *
 * Through independent gamma variables it is int pdf(Gamma(v0+1)) prod_i cdf(Gamma(vi+1)); with x =
 * e^t the integrand falls off exponentially on both sides, where the plain trapezoid rule converges
 * beyond double precision.
 * @throws RangeError unless the counts are integers >= 0, at most 1,000 together, one at least
 */
export function dirichletConfidence(counts: readonly number[]): number {
  requireCounts(counts);
  const [leader, ...others] = counts;
  if (leader === undefined) throw new RangeError("at least one count is needed");
  const step = 1 / Math.max(16, 4 * Math.sqrt(leader));
  const last = Math.log(leader + 50 + 12 * Math.sqrt(leader + 1));
  const logNorm = logFactorial(leader);
  let sum = 0;
  for (let t = last; t > -40; t -= step) {
    const x = Math.exp(t);
    const density = Math.exp((leader + 1) * t - x - logNorm);
    if (density > 1e-300) sum += others.reduce((product, v) => product * gammaCdf(v + 1, x), density);
  }
  return Math.min(1, sum * step);
}

export interface EarlyStop<T> {
  samplesUsed: number;
  /** A unanimous window decided. */
  stoppedEarly: boolean;
  /** null when every sample used was unparsed. */
  verdict: T | null;
}

function requireWindow(window: number, samplesMax: number): void {
  const isCount = (n: number) => Number.isSafeInteger(n) && n >= 1;
  if (!isCount(window) || !isCount(samplesMax) || window > samplesMax) {
    throw new RangeError("window and samplesMax must be integers with 1 <= window <= samplesMax");
  }
}

/**
 * Early-stopping self-consistency (`Yiwei98/ESC`, ICLR 2024): takes whole windows of samples and
 * stops at the first unanimous one, whose answer is the verdict; else plurality over all windows,
 * the first seen among equals. A window with an unparsed sample is not unanimous.
 * @param samples at least floor(samplesMax / window) * window of them, unless an earlier window is
 *   unanimous
 */
export function earlyStopConsistency<T>(
  samples: readonly (T | null)[],
  window: number,
  samplesMax: number,
): EarlyStop<T> {
  requireWindow(window, samplesMax);
  const most = Math.floor(Math.min(samplesMax, samples.length) / window) * window;
  for (let start = 0; start < most; start += window) {
    const [first, ...rest] = samples.slice(start, start + window);
    if (first !== undefined && first !== null && rest.every((sample) => sample === first)) {
      return { samplesUsed: start + window, stoppedEarly: true, verdict: first };
    }
  }
  return { samplesUsed: most, stoppedEarly: false, verdict: selfConsistency(samples.slice(0, most)).winner };
}

/**
 * Expected samples of earlyStopConsistency under independent answers with the given probabilities:
 * with q = sum p^w and M = floor(L / w), E = w (sum_{i=0..M-2} (i+1) q (1-q)^i + M (1-q)^(M-1)).
 */
export function expectedEarlyStopSamples(probabilities: readonly number[], window: number, samplesMax: number): number {
  requireWindow(window, samplesMax);
  const unanimous = probabilities.reduce((sum, p) => sum + p ** window, 0);
  const windows = Math.floor(samplesMax / window);
  let expected = windows * (1 - unanimous) ** (windows - 1);
  for (let i = 0; i <= windows - 2; i++) expected += (i + 1) * unanimous * (1 - unanimous) ** i;
  return window * expected;
}

/**
 * Borda voting with power p (Self-Certainty release, arXiv 2502.18581): samples ranked by
 * confidence, best first and stable, vote (N - rank + 1)^p for their answer; p = 0 is the majority.
 * Among equals the answer seen first, in the order of sampling, wins. Unparsed samples (null) keep
 * their rank and cast no vote.
 * @throws RangeError when the lengths differ or a confidence is NaN
 */
export function bordaVote<T>(answers: readonly (T | null)[], confidence: readonly number[], power = 0.5): Plurality<T> {
  if (answers.length !== confidence.length) throw new RangeError("answers and confidence must have one length");
  if (confidence.some(Number.isNaN)) throw new RangeError("confidence must not be NaN");
  const order = answers
    .map((_, i) => i)
    .sort((a, b) => Math.sign((confidence[b] as number) - (confidence[a] as number)) || 0);
  const weights = new Array<number>(answers.length).fill(0);
  for (const [rank, i] of order.entries()) weights[i] = (answers.length - rank) ** power;
  return countVotes(answers.flatMap((answer, i) => (answer === null ? [] : [[answer, weights[i] as number] as const])));
}
