// Estimates what length and the first place earn with a judge: a Bradley-Terry fit of each group,
// pooled over groups. The length term cannot tell a judge's taste from answers that are better
// because they say more.
import { fitted, type Game, type Lead } from "../../src/core/math/bradley-terry.ts";
import { log2 } from "../../src/core/math/elementary.ts";
import { mean, sumOf } from "../../src/core/math/stats.ts";
import { type Match, type Outcomes, STRENGTH_PRIOR } from "../../src/core/tournament/schedules/schedule.ts";

export const TERMS = ["length", "position"] as const;
export type Term = (typeof TERMS)[number];

/** A group's share of a pooled estimate; `above / below` is the estimate of the group alone. */
export interface TermShare {
  above: number;
  below: number;
}

/** The games of one group. */
export interface GroupGames {
  pairs: readonly Match[];
  outcomes: Outcomes;
  /** Outcomes are the judge's probabilities, not votes. */
  graded: boolean;
  /** Candidates that were judged, by index. */
  playing: readonly number[];
  /** Characters of every candidate, by index. */
  lengths: readonly number[];
}

export interface Estimate {
  /** Natural log-odds: of a candidate twice as long, or of the candidate that is shown first. */
  log_odds: number;
  standard_error: number;
  /** Whether the estimate is three standard errors from 0. */
  clear: boolean;
}

/** Fewer groups give no reliable standard error. */
const GROUPS_MIN = 64;
const CLEAR_ERRORS = 3;
/** Lengths are clipped this many doublings from the group's mean, where data are scarce. */
const DOUBLINGS_MAX = 2;
/** Games that a graded outcome counts as: the weight of the score `strength`. */
const GRADED_WEIGHT = 10;

/** The prior on what being shown first earns. */
const LEAD_PRIOR: Lead = { lambda: 1 };

/** The outcome of each order of a pair for the candidate shown first, and its number of verdicts. */
function shownIn([i = 0, j = 0]: Match, outcomes: Outcomes): (Game & { count: number })[] {
  const orders = [
    [i, j],
    [j, i],
  ] as const;
  return orders.flatMap(([first, second]) => {
    const votes = outcomes.inOrder?.(first, second) ?? null;
    return votes === null ? [] : [{ i: first, j: second, score: votes.mean, count: votes.count }];
  });
}

/** Distance of each playing candidate's length from their mean, in doublings. */
function doublings({ lengths, playing }: GroupGames): number[] {
  const logs = playing.map((i) => log2(Math.max(1, lengths[i] as number)));
  const centre = mean(logs);
  return logs.map((value) => Math.min(DOUBLINGS_MAX, Math.max(-DOUBLINGS_MAX, value - centre)));
}

/**
 * Shares of one group of two or more playing candidates. Length: the slope of the strengths over
 * doublings. Position: the lead of the first shown, with the prior taken out so that the prior does
 * not count once a group.
 */
export function sharesOf(games: GroupGames): Record<Term, TermShare> {
  const { pairs, outcomes, graded, playing, lengths } = games;
  const played = pairs
    .flatMap((pair) => shownIn(pair, outcomes))
    .map(({ count, ...game }) => ({ ...game, times: graded ? 1 : count }));
  const fit = fitted(lengths.length, played, STRENGTH_PRIOR, graded ? GRADED_WEIGHT : 1, LEAD_PRIOR);
  const longer = doublings(games);
  const centre = mean(longer);
  const points = playing.map((i, k) => [(longer[k] as number) - centre, fit.theta[i] as number] as const);
  const precision = 1 / (fit.lead_variance as number);
  return {
    length: { above: sumOf(points.map(([x, theta]) => x * theta)), below: sumOf(points.map(([x]) => x * x)) },
    position: { above: (fit.lead as number) * precision, below: precision - LEAD_PRIOR.lambda },
  };
}

/**
 * Pools groups: the ratio of the sums with the linearised standard error of a ratio (Cochran,
 * Sampling Techniques, 6.3).
 * @returns null for fewer than 64 groups, and where no group says anything of the term
 */
export function pooled(shares: readonly TermShare[]): Estimate | null {
  const groups = shares.length;
  const below = sumOf(shares.map((share) => share.below));
  if (groups < GROUPS_MIN || !(below > 0)) return null;
  const log_odds = sumOf(shares.map(({ above }) => above)) / below;
  const spread = sumOf(shares.map((share) => (share.above - log_odds * share.below) ** 2));
  const standard_error = Math.sqrt((spread * groups) / (groups - 1)) / below;
  return { log_odds, standard_error, clear: Math.abs(log_odds) >= CLEAR_ERRORS * standard_error };
}
