// Effect of verdicts at chance on a run's measures. Candidates that a converging policy makes alike are
// compared by coin
// flips: pairs change with the order shown, and wins form cycles, together. A position bias flips
// without cycles.
//
// The curve is a fit to simulated groups of 4 and 8 under Bradley and Terry's model, from a spread of
// quality at which
// 24 % of pairs flip (1.3 % of triples form cycles) to none (50 %, 25 %); it is off by at most 0.04 of flips.

/** Share of triples that form a cycle where a share of pairs flips, both by chance alone. */
export const cyclesByChance = (flips: number): number => (2 * Math.min(0.5, flips)) ** 4 / 4;

/** Inverse of `cyclesByChance`: share of pairs that flip. */
export const flipsByChance = (cycles: number): number => (4 * Math.min(0.25, cycles)) ** 0.25 / 2;
