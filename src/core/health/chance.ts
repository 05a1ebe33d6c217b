// Effect of random verdicts on a run's measures. The judge compares candidates that a converging policy makes
// alike by coin flips: more pairs change with the order shown, and more wins form cycles. A position bias
// flips pairs without forming cycles.
//
// The curve is a fit to simulated groups of 4 and 8 under the Bradley-Terry model, from a spread of quality
// at which 24 % of pairs flip (1.3 % of triples form cycles) to none (50 %, 25 %). Its error is at most 0.04
// of flips.

/** Share of triples that form a cycle if a share `flips` of pairs flips by chance. */
export const cyclesByChance = (flips: number): number => (2 * Math.min(0.5, flips)) ** 4 / 4;

/** Inverse of `cyclesByChance`: share of pairs that flip. */
export const flipsByChance = (cycles: number): number => (4 * Math.min(0.25, cycles)) ** 0.25 / 2;
