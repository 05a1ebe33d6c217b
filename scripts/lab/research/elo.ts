// Owns online Elo and expected win rates (formulas.md e), for comparison. Knows not where games
// come from.
import { type Game, sigmoid } from "../../../src/core/math/bradley-terry.ts";

/** Most players a rating accepts: one Newton step costs the cube of it. */
export const PLAYERS_MAX = 256;

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
