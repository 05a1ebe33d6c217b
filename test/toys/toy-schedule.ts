// A schedule that a test adds: some candidates of the seeded order against the next in it.
import * as z from "zod";
import type { Match, Schedule } from "../../src/core/tournament/schedules/schedule.ts";

export const toySchedule: Schedule<{ links: number }> = {
  mode: "pairwise",
  settings: z.strictObject({ links: z.int().min(1).max(63).default(1) }),
  complete: false,
  *waves({ order, settings: { links } }) {
    yield order.slice(0, links).map((from, at): Match => [from, order[(at + 1) % order.length] as number]);
    return undefined;
  },
};
