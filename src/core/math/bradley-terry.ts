// Fits Bradley-Terry strengths to games (formulas e). Must not depend on where the games come from.

import { exp, log1p } from "./elementary.ts";
import { lineUp } from "./line-up.ts";

/**
 * A game of player `i` against player `j`. `score` is 1 if i won, 0.5 for a tie, 0 if j won, or a value in
 * between.
 */
export interface Game {
  i: number;
  j: number;
  score: number;
  /** How often the game was played with this mean score; default: 1. */
  times?: number;
}

/**
 * Prior of the advantage of being first in a game, in log-odds. The prior is Gaussian with precision
 * `lambda`.
 */
export interface Lead {
  lambda: number;
}

const NEWTON_STEPS_MAX = 100;

/**
 * Rows are typed arrays, because a plain array of zeros would change its element kind at the first fraction.
 */
type Matrix = Float64Array[];

/**
 * The log posterior, its gradient, and the negative Hessian (a weighted Laplacian plus lambda I) at `theta`.
 * With a lead, the last entry of `theta` is the lead.
 */
function posterior(theta: readonly number[], games: readonly Game[], lambda: number, lead: Lead | null) {
  const last = lead === null ? theta.length : theta.length - 1;
  const prior = theta.map((_, k) => (k === last ? (lead as Lead).lambda : lambda));
  const gradient = Float64Array.from(theta, (t, k) => -(prior[k] as number) * t);
  const curvature: Matrix = theta.map((_, row) =>
    new Float64Array(theta.length).fill(prior[row] as number, row, row + 1),
  );
  let value = -0.5 * theta.reduce((sum, t, k) => sum + (prior[k] as number) * t * t, 0);
  for (const { i, j, score, times = 1 } of games) {
    const gap = (theta[i] as number) - (theta[j] as number) + (lead === null ? 0 : (theta[last] as number));
    const small = exp(-Math.abs(gap));
    // Computes sigmoid(gap) and sigmoid(-gap) from a single exponential.
    const p = (gap >= 0 ? 1 : small) / (1 + small);
    const weight = times * p * ((gap <= 0 ? 1 : small) / (1 + small));
    const pull = times * (score - p);
    // log sigma(x) = min(x, 0) - log1p(e^-|x|), which neither overflows nor rounds to log 0.
    value += times * (score * Math.min(gap, 0) + (1 - score) * Math.min(-gap, 0) - log1p(small));
    const rowI = curvature[i] as Float64Array;
    const rowJ = curvature[j] as Float64Array;
    gradient[i] = (gradient[i] as number) + pull;
    gradient[j] = (gradient[j] as number) - pull;
    rowI[i] = (rowI[i] as number) + weight;
    rowJ[j] = (rowJ[j] as number) + weight;
    rowI[j] = (rowI[j] as number) - weight;
    rowJ[i] = (rowJ[i] as number) - weight;
    if (lead === null) continue;
    const leadRow = curvature[last] as Float64Array;
    gradient[last] = (gradient[last] as number) + pull;
    leadRow[last] = (leadRow[last] as number) + weight;
    leadRow[i] = (leadRow[i] as number) + weight;
    leadRow[j] = (leadRow[j] as number) - weight;
    rowI[last] = (rowI[last] as number) + weight;
    rowJ[last] = (rowJ[last] as number) - weight;
  }
  return { value, gradient, curvature };
}

/**
 * The lower Cholesky factor of a symmetric positive definite matrix. It is computed in place and mirrored
 * above the diagonal, so that columns can be read as rows.
 */
function factor(a: Matrix): Matrix {
  for (const [row, line] of a.entries()) {
    for (let column = 0; column <= row; column++) {
      const other = a[column] as Float64Array;
      let sum = line[column] as number;
      for (let k = 0; k < column; k++) sum -= (line[k] as number) * (other[k] as number);
      const value = row === column ? Math.sqrt(sum) : sum / (other[column] as number);
      line[column] = value;
      other[row] = value;
    }
  }
  return a;
}

/** Solves L L' x = b for a mirrored L and a b that is 0 before index `from`. */
function solve(l: Matrix, b: Float64Array, from = 0): Float64Array {
  const x = b.slice();
  for (let row = from; row < x.length; row++) {
    const line = l[row] as Float64Array;
    let sum = x[row] as number;
    for (let k = from; k < row; k++) sum -= (line[k] as number) * (x[k] as number);
    x[row] = sum / (line[row] as number);
  }
  for (let row = x.length - 1; row >= 0; row--) {
    const line = l[row] as Float64Array;
    let sum = x[row] as number;
    for (let k = row + 1; k < x.length; k++) sum -= (line[k] as number) * (x[k] as number);
    x[row] = sum / (line[row] as number);
  }
  return x;
}

/**
 * Bradley-Terry strengths, with P(i beats j) = sigma(theta_i - theta_j), as the maximum a posteriori under a
 * Gaussian prior: the maximum of sum s log sigma(t_i - t_j) + (1 - s) log sigma(t_j - t_i) - lambda/2 |t|^2.
 * The prior ensures that the maximum exists for any games (the likelihood alone needs a strongly connected
 * win graph). Uses Newton's method with step halving; the cost of a step is cubic in the number of players.
 * @param games between players in 0..players-1, with scores in [0, 1]
 * @param lambda precision of the prior, > 0
 * @returns theta in natural log-odds, summing to 0
 */
export function bradleyTerry(players: number, games: readonly Game[], lambda: number): number[] {
  return maximum(players, games, lambda, null);
}

/** The most likely strengths, which sum to 0, followed by the first player's advantage if there is a `lead`. */
function maximum(players: number, games: readonly Game[], lambda: number, lead: Lead | null): number[] {
  let theta = new Array<number>(players + (lead === null ? 0 : 1)).fill(0);
  let current = posterior(theta, games, lambda, lead);
  for (let iteration = 0; iteration < NEWTON_STEPS_MAX; iteration++) {
    const step = solve(factor(current.curvature), current.gradient);
    let size = 1;
    let next = theta;
    let reached = current;
    do {
      next = theta.map((t, i) => t + size * (step[i] as number));
      reached = posterior(next, games, lambda, lead);
      size /= 2;
      // Near the maximum, values differ only by rounding, and the full step is correct.
    } while (reached.value < current.value - 1e-10 * (1 + Math.abs(current.value)) && size > 1e-9);
    theta = next;
    current = reached;
    if (Math.max(...step.map(Math.abs)) < 1e-14 * (1 + Math.max(...theta.map(Math.abs)))) break;
  }
  // The maximum has mean 0 except for rounding errors.
  const centre = theta.slice(0, players).reduce((sum, t) => sum + t, 0) / players;
  return theta.map((t, k) => (k < players ? t - centre : t));
}

/** Strengths, with their posterior covariance from Laplace's approximation: the inverse of the curvature. */
export interface Fit {
  theta: readonly number[];
  covariance: readonly (readonly number[])[];
  /** The advantage of being first in a game, in log-odds, and its variance; set only if it was estimated. */
  lead?: number;
  lead_variance?: number;
}

/**
 * Like `bradleyTerry`, but with the covariance, and counting every game as `weight` games.
 * @param leading prior of the lead, so that P(i beats j) = sigma(theta_i - theta_j + lead) if i is shown
 * first; null means that the first player has no advantage
 */
export function fitted(
  players: number,
  games: readonly Game[],
  lambda: number,
  weight = 1,
  leading: Lead | null = null,
): Fit {
  const lead = leading && { ...leading, lambda: leading.lambda / weight };
  // Players are numbered by their games, so that no sum depends on the caller's numbering.
  const line = lineUp(players, games, lead !== null);
  const place = new Array<number>(players);
  for (const [at, i] of line.entries()) place[i] = at;
  const placed = games
    .map((game) => ({ ...game, i: place[game.i] as number, j: place[game.j] as number }))
    // In a tie, the player with the smaller number comes first, unless the order within a game matters.
    .map((game) => (lead === null && game.score === 0.5 && game.i > game.j ? { ...game, i: game.j, j: game.i } : game))
    .sort((a, b) => a.i - b.i || a.j - b.j || a.score - b.score || (a.times ?? 1) - (b.times ?? 1));
  const all = maximum(players, placed, lambda / weight, lead);
  const l = factor(posterior(all, placed, lambda / weight, lead).curvature);
  const columnOf = (at: number) => solve(l, new Float64Array(all.length).fill(1 / weight, at, at + 1), at);
  const columns = line.map((_, at) => columnOf(at));
  // Rounding leaves the inverse slightly asymmetric, so one triangle is used for both.
  const inverse = (a: number, b: number) => columns[Math.max(a, b)]?.[Math.min(a, b)] as number;
  return {
    theta: place.map((at) => all[at] as number),
    covariance: place.map((a) => place.map((b) => inverse(a, b))),
    ...(lead !== null && { lead: all[players] as number, lead_variance: columnOf(players)[players] as number }),
  };
}

/** P(Z <= x) for the standard normal distribution, accurate to 8e-8 (Abramowitz and Stegun 26.2.17). */
function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (series * exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  return x > 0 ? 1 - tail : tail;
}

/** The variance of theta_i - theta_j, and P(theta_i > theta_j). */
export function pairPosterior({ theta, covariance }: Fit, i: number, j: number): { variance: number; chance: number } {
  const at = (row: number, column: number) => (covariance[row] as readonly number[])[column] as number;
  const variance = at(i, i) + at(j, j) - 2 * at(i, j);
  return { variance, chance: normalCdf(((theta[i] as number) - (theta[j] as number)) / Math.sqrt(variance)) };
}
