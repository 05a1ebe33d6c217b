// Owns what of a judge's taste is taken out of a group's strengths, and what a group tells of that
// taste. Bradley-Terry with a length and a position term, pooled over groups. Knows no run.
import type { TermShare } from "../asking/comparison.ts";
import type { Covariate, Earned } from "../contract/covariates.ts";
import type { Fit } from "../math/bradley-terry.ts";
import { mean, sumOf } from "../math/stats.ts";
import { LEAD_PRIOR, type Match, type Outcomes, strengthsInOrder, strengthsOf } from "./schedules/schedule.ts";

/** Shares over groups, with what the ratio's standard error takes. */
export interface TermSums {
  groups: number;
  above: number;
  below: number;
  above2: number;
  product: number;
  below2: number;
}

export const NO_SUMS: TermSums = { groups: 0, above: 0, below: 0, above2: 0, product: 0, below2: 0 };

export const withShare = (sums: TermSums, { above, below }: TermShare): TermSums => ({
  groups: sums.groups + 1,
  above: sums.above + above,
  below: sums.below + below,
  above2: sums.above2 + above * above,
  product: sums.product + above * below,
  below2: sums.below2 + below * below,
});

export const together = (a: TermSums, b: TermSums): TermSums =>
  Object.fromEntries(
    Object.entries(a).map(([name, sum]) => [name, sum + b[name as keyof TermSums]]),
  ) as unknown as TermSums;

/** Of fewer groups a standard error says little. */
const GROUPS_LEAST = 64;
/** A term is taken out from so many standard errors on: what is chance is left alone. */
const SURE = 3;

/**
 * The pooled estimate with its standard error, of a ratio of sums over groups (linearised, Cochran,
 * Sampling Techniques, 6.3), and what is taken out by it: nothing where it may be chance. Null of too
 * few groups.
 */
export function termOf(sums: TermSums): { value: number; se: number; taken: number } | null {
  const { groups, above, below, above2, product, below2 } = sums;
  if (groups < GROUPS_LEAST || !(below > 0)) return null;
  const value = above / below;
  const spread = Math.max(0, above2 - 2 * value * product + value * value * below2);
  const se = Math.sqrt((spread * groups) / (groups - 1)) / below;
  return { value, se, taken: Math.abs(value) >= SURE * se ? value : 0 };
}

/** Beyond so many doublings from the group's mean a length earns no more: little was seen there. */
const DOUBLINGS_MOST = 2;

/** Of each class that plays: how far its length is from the mean's, in doublings. */
function doublings(lengths: readonly number[], playing: readonly number[]): number[] {
  const logs = lengths.map((length) => Math.log2(Math.max(1, length)));
  const centre = mean(playing.map((i) => logs[i] as number));
  return logs.map((log) => Math.min(DOUBLINGS_MOST, Math.max(-DOUBLINGS_MOST, log - centre)));
}

/** A group's games, and what its players are. */
interface GamesOfGroup {
  n: number;
  pairs: readonly Match[];
  outcomes: Outcomes;
  graded: boolean;
  /** The classes that are judged. */
  playing: readonly number[];
  /** Of every class: characters of what the judge was shown. */
  lengths: readonly number[];
}

/** So sure is the lead that the run was asked for, beside what one group's games say of it. */
const KNOWN = 1e6;

/**
 * Strengths without what the terms earned; with nothing to take out those of `strengthsOf`. Where the
 * first place earns, each verdict is a game of its order.
 */
export function strengthsWithout({ length = 0, position = 0 }: Earned, games: GamesOfGroup): Fit {
  const { n, pairs, outcomes, graded, lengths, playing } = games;
  const lead = { lambda: KNOWN, mean: position };
  const fit =
    position === 0 ? strengthsOf(n, pairs, outcomes, graded) : strengthsInOrder(n, pairs, outcomes, graded, lead);
  if (length === 0) return fit;
  const longer = doublings(lengths, playing);
  return { ...fit, theta: fit.theta.map((theta, i) => theta - length * (longer[i] as number)) };
}

/**
 * What a group tells of each term. Length: the slope of its strengths, with nothing taken out, over
 * doublings. Position: the lead of its games with the precision that these give it, so that the prior
 * counts once, over all groups, and not in each.
 */
export function sharesOf(terms: readonly Covariate[], games: GamesOfGroup): Partial<Record<Covariate, TermShare>> {
  const { n, pairs, outcomes, graded, playing, lengths } = games;
  if (playing.length < 2) return {};
  const shares: Partial<Record<Covariate, TermShare>> = {};
  // The strengths that the terms are taken out of, with a lead of the group's own.
  const fit = (terms.includes("position") ? strengthsInOrder : strengthsOf)(n, pairs, outcomes, graded);
  if (terms.includes("length")) {
    const longer = doublings(lengths, playing);
    const centre = mean(playing.map((i) => longer[i] as number));
    const own = playing.map((i) => [(longer[i] as number) - centre, fit.theta[i] as number] as const);
    shares.length = { above: sumOf(own.map(([x, t]) => x * t)), below: sumOf(own.map(([x]) => x * x)) };
  }
  if (terms.includes("position")) {
    const { lead = 0, lead_variance = Number.POSITIVE_INFINITY } = fit;
    const precision = 1 / lead_variance;
    shares.position = { above: lead * precision, below: precision - LEAD_PRIOR.lambda };
  }
  return shares;
}
