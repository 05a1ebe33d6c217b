// Owns the schedule `auto`: which schedule a group's size, verdicts and budget call for.
import * as z from "zod";
import { orderConfidenceSetting } from "./active.ts";
import { roundRobin } from "./round-robin.ts";
import { allPairs, type Choice, type Schedule } from "./schedule.ts";

const SETTINGS = z.strictObject({ order_confidence: orderConfidenceSetting });

/** Rings for graded verdicts: with six, tau-b is within 0.01 of all pairs in both orders x 4. */
const RINGS_GRADED = 6;

/**
 * A vote's own chance is more than what a place adds to it: of votes plain `active` and all pairs
 * in one wave are better until so many times all pairs are paid.
 */
const AGAIN_FROM = 1.5;

/**
 * As the study justifies (docs/results/schedules.md). With `order_confidence`: `active`, asking
 * again, until it is reached. With a budget: `anchored` where it pays no ring, `active` below twice
 * all pairs, of graded verdicts asking again, then all pairs in both orders and with more samples;
 * votes for all pairs are one wave. Without: all pairs, of graded verdicts six rings.
 */
export const auto: Schedule<z.output<typeof SETTINGS>> = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  choose({ order, graded, pairs, repeats, settings: { order_confidence } }): Choice {
    const n = order.length;
    const all = allPairs(n);
    if (order_confidence !== undefined) return { schedule: { name: "active", order_confidence, again: true } };
    if (pairs < Math.min(n, all)) return { schedule: graded ? { name: "anchored", shown: "first" } : "anchored" };
    if (pairs < all) return { schedule: { name: "active", sure: 1, ...(graded && { again: true }) } };
    const again = repeats > 0 && pairs < 2 * all && (graded || pairs >= AGAIN_FROM * all);
    if (again) return { schedule: { name: "active", sure: 1, again: true } };
    if (pairs < Number.POSITIVE_INFINITY)
      return { schedule: "round_robin", times: Math.floor(pairs / Math.max(1, all)) };
    if (graded && RINGS_GRADED < (n - 1) / 2) return { schedule: { name: "circular", degree: RINGS_GRADED } };
    return { schedule: "round_robin" };
  },
  waves: (field) => roundRobin.waves({ ...field, settings: {} }),
};
