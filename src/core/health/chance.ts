// Effect of random verdicts on a run's measures. If a converging policy makes candidates alike, the judge's
// verdicts are coin flips: more pairs change with the order shown, and more wins form cycles. A position bias
// flips pairs without forming cycles.
//
// The curve is fitted to simulated groups of 4 and 8 under the Bradley-Terry model, from a spread of quality
// at which 24 % of pairs flip (and 1.3 % of triples form cycles) down to no spread (50 % and 25 %). The error
// of the flip rate is at most 0.04.

/** Share of triples that form a cycle if the share `flips` of the pairs flips by chance. */
export const cyclesByChance = (flips: number): number => (2 * Math.min(0.5, flips)) ** 4 / 4;

/** Inverse of `cyclesByChance`: the share of pairs that flip. */
export const flipsByChance = (cycles: number): number => (4 * Math.min(0.25, cycles)) ** 0.25 / 2;
