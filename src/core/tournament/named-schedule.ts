// The spec's schedule setting: its schema, its canonical form, and properties looked up in the table of
// schedules.

import * as z from "zod";
import { said } from "#said";
import type { JudgeSettings, NamedSchedule } from "../contract/judge-settings.ts";
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

/**
 * Schema of a schedule, given by name or by name with settings; output in canonical form. The default depends
 * on the mode.
 */
export const ScheduleSchema = NamedScheduleSchema.transform(canonicalSchedule)
  .optional()
  .meta(said("default: round_robin for pairwise, single_list for listwise"));

const nameOf = (named: NamedSchedule): string => (typeof named === "string" ? named : named.name);

/** The schedule for a name accepted by the schema, and its settings with defaults filled in. */
export function scheduleOf(named: NamedSchedule): { schedule: Schedule; settings: unknown } {
  const { name, ...given } = typeof named === "string" ? { name: named } : named;
  const schedule = SCHEDULES[name] as Schedule;
  return { schedule, settings: schedule.settings.parse(given) };
}

/** Converts to canonical form: default settings are removed; if none are left, only the name remains. */
function canonicalSchedule(named: NamedSchedule): NamedSchedule {
  const { schedule, settings } = scheduleOf(named);
  const defaults = schedule.settings.parse({}) as Record<string, unknown>;
  const changed = Object.entries(settings as Record<string, unknown>).filter(([key, value]) => defaults[key] !== value);
  return changed.length === 0 ? nameOf(named) : { name: nameOf(named), ...Object.fromEntries(changed) };
}

/**
 * Whether some pairs are left out. If so, a candidate's reward depends on its opponents, and copies of one
 * candidate can change the results of others that meet them.
 */
export const asksFewPairs = ({ schedule, budget }: JudgeSettings): boolean =>
  !scheduleOf(schedule).schedule.complete || budget !== undefined;

/**
 * Upper bound of the generations for first questions about pairs that are asked whatever members are added
 * later, in a group of at most `maxRollouts`. null if the questions depend on all members.
 */
export function earlyGenerations(judge: JudgeSettings, maxRollouts: number): number | null {
  const { schedule, settings } = scheduleOf(judge.schedule);
  // A budget is spent in an order that depends on all candidates of the group.
  if (judge.budget !== undefined || schedule.knowsPairs?.(settings, maxRollouts) !== true) return null;
  return allPairs(needsReference(judge.schedule) ? maxRollouts + 1 : maxRollouts) * firstCost(judge);
}

/** Whether a group's reference takes part in its comparisons. */
export function needsReference(named: NamedSchedule): boolean {
  const { schedule, settings } = scheduleOf(named);
  return schedule.needsReference?.(settings) === true;
}

/** Why a judge's schedule and mode cannot be combined, or null. */
export function scheduleFault({ mode, schedule }: JudgeSettings): string | null {
  if (scheduleOf(schedule).schedule.mode === mode) return null;
  const names = Object.keys(SCHEDULES).filter((name) => SCHEDULES[name]?.mode === mode);
  return `schedule must fit the mode; the options for ${mode} are: ${names.join(", ")}`;
}
