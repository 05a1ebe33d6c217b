// Owns the schedule `auto`: which schedule a group's size, votes and budget call for.
import * as z from "zod";
import type { Schedule } from "../schedule.ts";
import { roundRobin } from "./round-robin.ts";

const SETTINGS = z.strictObject({});

/** Rings for soft verdicts: with six, tau-b is within 0.01 of all pairs in both orders x 4 (docs/results/schedules.md). */
const RINGS_GRADED = 6;

/**
 * As the study justifies (docs/results/schedules.md): as many rings as the budget pays, where
 * verdicts are graded at most six; all pairs where that is no more.
 */
export const auto: Schedule = {
  mode: "pairwise",
  settings: SETTINGS,
  complete: false,
  choose({ order, graded, pairs }) {
    const n = order.length;
    const degree = Math.min(Math.floor(pairs / Math.max(1, n)), graded ? RINGS_GRADED : Number.POSITIVE_INFINITY);
    if (degree >= (n - 1) / 2) return "round_robin";
    return { name: "circular", degree: Math.max(1, degree) };
  },
  waves: (field) => roundRobin.waves(field),
};
