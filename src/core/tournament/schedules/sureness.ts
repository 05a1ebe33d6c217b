// Owns how surely the order of strengths is known: each vote is a game, and what a verifier sees in
// a pair, or in a place, is no vote's own chance.
import { type Fit, fitted, type Game, orderConfidence, sigmoid } from "../../math/bradley-terry.ts";
import { gameOf, LEAD_PRIOR, type Match, type Outcomes, STRENGTH_PRIOR, shownIn } from "./schedule.ts";

/**
 * Variances in log-odds of what a verifier sees in a pair beside its two, whatever the order and
 * the sample, and of what an order adds to that: those of the study's strong pair bias, and half of
 * its strong position bias, whose mean is fitted. So no number of votes tells more of a pair than
 * these leave, and what is stated stays below what is observed (docs/results/calibration.md).
 */
const PAIR_VARIANCE = 1.2;
const ORDER_VARIANCE = 0.5;
/** By then weights change strengths by less than 1e-3. */
const ROUNDS = 4;

/** Votes of a pair in one order: the share of the first shown, and how many. */
type Votes = Game & { count: number };

/**
 * Strengths with their covariance from votes, those of graded verdicts fractional ones: a pair's
 * votes count as the games that tell as much of its gap as they do, 1 / (1 / (count p (1 - p)) +
 * variance), p by the fit, so in rounds (penalised quasi-likelihood, Breslow and Clayton 1993). Of
 * lists a pair's outcome is one vote.
 */
export function surenessFit(n: number, pairs: readonly Match[], outcomes: Outcomes): Fit {
  const known = pairs.map((pair) => votesOf(pair, outcomes));
  let fit: Fit | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const near = fit;
    const games = known.flatMap((votes) => weighed(votes, near));
    fit = fitted(n, games, STRENGTH_PRIOR, 1, LEAD_PRIOR, near);
  }
  return fit as Fit;
}

/** How sure that order is (bradley-terry.ts). */
export const surenessOf = (...input: Parameters<typeof surenessFit>) => orderConfidence(surenessFit(...input));

/** When a schedule ends: as soon as the best is so sure, or the best and the whole order. */
export interface Ends {
  sure: number;
  /** In place of `sure`: of the best alone. */
  order_confidence?: number | undefined;
}

/** The fit by which a schedule may end; null of `sure` 1, which nothing need be worked out for. */
export const endFit = ({ sure, order_confidence }: Ends, ...input: Parameters<typeof surenessFit>): Fit | null =>
  order_confidence === undefined && sure === 1 ? null : surenessFit(...input);

/** Whether it ends. */
export function isSure({ sure, order_confidence }: Ends, fit: Fit | null): boolean {
  if (fit === null) return false;
  const { best, tau } = orderConfidence(fit);
  return order_confidence === undefined ? Math.min(best, tau) >= sure : best >= order_confidence;
}

function votesOf(pair: Match, outcomes: Outcomes): Votes[] {
  const inOrder = shownIn(pair, outcomes);
  const whole = inOrder.length > 0 ? null : gameOf(pair, outcomes);
  return whole === null ? inOrder : [{ ...whole, count: 1 }];
}

/** The games that a pair's votes are worth; before there is a fit, as of equals. */
function weighed(votes: readonly Votes[], fit: Fit | undefined): Game[] {
  const [first] = votes;
  if (first === undefined) return [];
  const gap = fit === undefined ? 0 : (fit.theta[first.i] as number) - (fit.theta[first.j] as number);
  const p = sigmoid(Math.abs(gap));
  const chance = p * (1 - p);
  const each = votes.map(({ count }) => 1 / (1 / (count * chance) + ORDER_VARIANCE));
  const information = each.reduce((sum, worth) => sum + worth, 0);
  const share = 1 / (1 + information * PAIR_VARIANCE) / chance;
  return votes.map(({ count: _, ...game }, k) => ({ ...game, times: (each[k] as number) * share }));
}
