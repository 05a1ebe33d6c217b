// Owns ratings from games: Bradley-Terry MAP and online Elo (formulas.md e). Must not know where
// games come from.
import { sigmoid } from "./transforms.ts";

/** One game of player `i` against `j`: `score` 1 when i won, 0.5 for a tie, 0 when j won. */
export interface Game {
  i: number;
  j: number;
  score: number;
}

/** Most players a rating accepts: one Newton step costs the cube of it. */
export const PLAYERS_MAX = 256;
const NEWTON_STEPS_MAX = 100;

function requireGames(players: number, games: readonly Game[]): void {
  if (!Number.isSafeInteger(players) || players < 1 || players > PLAYERS_MAX) {
    throw new RangeError(`players must be an integer in 1..${PLAYERS_MAX}`);
  }
  const isPlayer = (p: number) => Number.isInteger(p) && p >= 0 && p < players;
  for (const { i, j, score } of games) {
    if (!isPlayer(i) || !isPlayer(j) || i === j) throw new RangeError(`no game of ${i} against ${j}`);
    if (!(score >= 0 && score <= 1)) throw new RangeError("score must lie in [0, 1]");
  }
}

/**
 * Log posterior, its gradient and the negative Hessian (a weighted Laplacian plus lambda I) at
 * `theta`.
 */
function posterior(theta: readonly number[], games: readonly Game[], lambda: number) {
  const gradient = theta.map((t) => -lambda * t);
  const curvature = theta.map((_, row) => theta.map((_, column) => (row === column ? lambda : 0)));
  let value = -0.5 * lambda * theta.reduce((sum, t) => sum + t * t, 0);
  for (const { i, j, score } of games) {
    const gap = (theta[i] as number) - (theta[j] as number);
    const p = sigmoid(gap);
    const weight = p * sigmoid(-gap);
    // log sigma(x) = min(x, 0) - log1p(e^-|x|), which neither overflows nor rounds to log 0.
    value += score * Math.min(gap, 0) + (1 - score) * Math.min(-gap, 0) - Math.log1p(Math.exp(-Math.abs(gap)));
    const [rowI, rowJ] = [curvature[i] as number[], curvature[j] as number[]];
    gradient[i] = (gradient[i] as number) + score - p;
    gradient[j] = (gradient[j] as number) - score + p;
    rowI[i] = (rowI[i] as number) + weight;
    rowJ[j] = (rowJ[j] as number) + weight;
    rowI[j] = (rowI[j] as number) - weight;
    rowJ[i] = (rowJ[i] as number) - weight;
  }
  return { value, gradient, curvature };
}

/** Solves A x = b for a symmetric positive definite A by its Cholesky factor; A is overwritten. */
function solvePositiveDefinite(a: number[][], b: readonly number[]): number[] {
  const x = [...b];
  const at = (row: number, column: number) => (a[row] as number[])[column] as number;
  for (let row = 0; row < x.length; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = at(row, column);
      for (let k = 0; k < column; k++) sum -= at(row, k) * at(column, k);
      (a[row] as number[])[column] = row === column ? Math.sqrt(sum) : sum / at(column, column);
    }
    for (let k = 0; k < row; k++) x[row] = (x[row] as number) - at(row, k) * (x[k] as number);
    x[row] = (x[row] as number) / at(row, row);
  }
  for (let row = x.length - 1; row >= 0; row--) {
    for (let k = row + 1; k < x.length; k++) x[row] = (x[row] as number) - at(k, row) * (x[k] as number);
    x[row] = (x[row] as number) / at(row, row);
  }
  return x;
}

/**
 * Bradley-Terry strengths, P(i beats j) = sigma(theta_i - theta_j), as the maximum a posteriori
 * under a Gaussian prior: the maximum of sum s log sigma(t_i - t_j) + (1 - s) log sigma(t_j - t_i)
 * - lambda/2 |t|^2. The prior makes it exist for any games (the likelihood alone needs a strongly
 * connected win graph). Newton's method with step halving.
 * @param lambda strength of the prior, > 0
 * @returns theta in natural log-odds, summing to 0
 * @throws RangeError on a player, score or lambda out of range
 */
export function bradleyTerry(players: number, games: readonly Game[], lambda = 1): number[] {
  requireGames(players, games);
  if (!(lambda > 0 && Number.isFinite(lambda))) throw new RangeError("lambda must be positive");
  let theta = new Array<number>(players).fill(0);
  let current = posterior(theta, games, lambda);
  for (let iteration = 0; iteration < NEWTON_STEPS_MAX; iteration++) {
    const step = solvePositiveDefinite(current.curvature, current.gradient);
    let size = 1;
    let next = theta;
    let reached = current;
    do {
      next = theta.map((t, i) => t + size * (step[i] as number));
      reached = posterior(next, games, lambda);
      size /= 2;
      // Near the maximum the values differ by rounding only, where the full step is the right one.
    } while (reached.value < current.value - 1e-10 * (1 + Math.abs(current.value)) && size > 1e-9);
    theta = next;
    current = reached;
    if (Math.max(...step.map(Math.abs)) < 1e-14 * (1 + Math.max(...theta.map(Math.abs)))) break;
  }
  // The maximum has mean 0; rounding may leave a trace of it.
  const centre = theta.reduce((sum, t) => sum + t, 0) / players;
  return theta.map((t) => t - centre);
}

/**
 * Expected share of wins against all the others: mean_j sigma(theta_i - theta_j); null when there
 * is nobody else.
 */
export function expectedWinRates(theta: readonly number[]): number[] | null {
  if (theta.length < 2) return null;
  return theta.map((t, i) => {
    const chances = theta.map((other, j) => (i === j ? 0 : sigmoid(t - other)));
    return chances.reduce((sum, p) => sum + p, 0) / (theta.length - 1);
  });
}

/**
 * Online Elo as in FastChat's rating_systems.py: E_i = 1 / (1 + 10^((R_j - R_i) / 400)), R_i += k
 * (s - E_i), game after game. Depends on the order of the games.
 * @throws RangeError on a player or score out of range
 */
export function elo(players: number, games: readonly Game[], k = 4, start = 1000): number[] {
  requireGames(players, games);
  const ratings = new Array<number>(players).fill(start);
  for (const { i, j, score } of games) {
    const [ratingI, ratingJ] = [ratings[i] as number, ratings[j] as number];
    const change = k * (score - 1 / (1 + 10 ** ((ratingJ - ratingI) / 400)));
    ratings[i] = ratingI + change;
    ratings[j] = ratingJ - change;
  }
  return ratings;
}
