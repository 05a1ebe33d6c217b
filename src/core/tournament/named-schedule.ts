// How a spec names a schedule, and what it says of its settings, by the table of schedules.

import * as z from "zod";
import { said } from "#said";
import type { NamedSchedule, Spec } from "../contract/spec.ts";
import { firstCost } from "./pair-questions.ts";
import { allPairs, type Schedule } from "./schedules/schedule.ts";
import { SCHEDULES } from "./schedules/table.ts";

const NamedScheduleSchema = z.union([
  z.enum(Object.keys(SCHEDULES) as [string, ...string[]]),
  z.discriminatedUnion(
    "name",
    Object.entries(SCHEDULES).map(([name, { settings }]) => settings.safeExtend({ name: z.literal(name) })) as never,
  ) as unknown as z.ZodType<{ name: string }>,
]);

/** A schedule by name, or by name with its settings, in its canonical form. Default: the one of the mode. */
export const ScheduleSchema = NamedScheduleSchema.transform(canonicalSchedule)
  .optional()
  .meta(said("default: round_robin for pairwise, single_list for listwise"));

const nameOf = (named: NamedSchedule): string => (typeof named === "string" ? named : named.name);

/** A schedule that the schema has accepted, with its settings, defaults filled in. */
export function scheduleOf(named: NamedSchedule): { schedule: Schedule; settings: unknown } {
  const { name, ...given } = typeof named === "string" ? { name: named } : named;
  const schedule = SCHEDULES[name] as Schedule;
  return { schedule, settings: schedule.settings.parse(given) };
}

/** As canonical as it goes: without settings that are the default, and then by its name. */
function canonicalSchedule(named: NamedSchedule): NamedSchedule {
  const { schedule, settings } = scheduleOf(named);
  const defaults = schedule.settings.parse({}) as Record<string, unknown>;
  const changed = Object.entries(settings as Record<string, unknown>).filter(([key, value]) => defaults[key] !== value);
  return changed.length === 0 ? nameOf(named) : { name: nameOf(named), ...Object.fromEntries(changed) };
}

/**
 * Whether so few pairs are asked that whom somebody meets decides what it earns, and copies of one
 * candidate, who are met in its place, move the others.
 */
export const asksFewPairs = ({ schedule, budget }: Spec["judge"]): boolean =>
  !scheduleOf(schedule).schedule.complete || budget !== undefined;

/**
 * Pairs of a group of at most `most` that are asked whoever else comes, as the judge asks them at first: an
 * upper bound of their generations. null where the questions depend on all members.
 */
export function earlyGenerations(judge: Spec["judge"], maxRollouts: number): number | null {
  const { schedule, settings } = scheduleOf(judge.schedule);
  // A budget is spent in an order that depends on all.
  if (judge.budget !== undefined || schedule.knowsPairs?.(settings, maxRollouts) !== true) return null;
  return allPairs(needsReference(judge.schedule) ? maxRollouts + 1 : maxRollouts) * firstCost(judge);
}

/** Whether a group's reference takes part in its comparisons. */
export function needsReference(named: NamedSchedule): boolean {
  const { schedule, settings } = scheduleOf(named);
  return schedule.needsReference?.(settings) === true;
}

/** Why a judge's schedule and mode do not go together, or null. */
export function scheduleFault({ mode, schedule }: Spec["judge"]): string | null {
  if (scheduleOf(schedule).schedule.mode === mode) return null;
  const names = Object.keys(SCHEDULES).filter((name) => SCHEDULES[name]?.mode === mode);
  return `schedule must fit the mode: ${names.join(", ")} for ${mode}`;
}
