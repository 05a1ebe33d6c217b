// Takes a real run's own steps as a load: what its log says of each, on average.
import * as z from "zod";
import type { Load } from "./sheet.ts";

const count = z.number().min(0);
export const StepsSchema = z.object({
  steps: z
    .array(
      z.object({
        first_at: z.iso.datetime(),
        requests: count,
        groups: count,
        rollouts: count,
        generations: count,
        prompt_tokens: count,
        completion_tokens: count,
      }),
    )
    .min(1, "the run has no steps"),
});
export type Steps = z.output<typeof StepsSchema>["steps"];

const DAY_MS = 86_400_000;

export interface OfRun extends Pick<Load, "requests" | "groups" | "generations"> {
  rollouts: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** By the first and the last step's times; null of one step. */
  steps_a_day: number | null;
}

/** Means over the steps. */
export function loadOfRun(steps: Steps): OfRun {
  const meanOf = (name: keyof Omit<Steps[number], "first_at">) =>
    steps.reduce((sum, step) => sum + step[name], 0) / steps.length;
  const times = steps.map(({ first_at }) => Date.parse(first_at));
  const span = Math.max(...times) - Math.min(...times);
  return {
    ...{ requests: meanOf("requests"), groups: meanOf("groups"), generations: meanOf("generations") },
    rollouts: meanOf("rollouts"),
    ...{ prompt_tokens: meanOf("prompt_tokens"), completion_tokens: meanOf("completion_tokens") },
    steps_a_day: span > 0 ? ((steps.length - 1) / span) * DAY_MS : null,
  };
}

/** @throws Error that says what the deployment answered */
export async function stepsOf(target: string, run: string, key: string | undefined): Promise<Steps> {
  const url = `${target.replace(/\/$/, "")}/v1/runs/${encodeURIComponent(run)}/steps`;
  const reply = await fetch(url, { headers: key ? { authorization: `Bearer ${key}` } : {} });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${text.slice(0, 300)}`);
  const read = StepsSchema.safeParse(JSON.parse(text));
  if (!read.success) throw new Error(`${url}: ${read.error.issues[0]?.message}`);
  return read.data.steps;
}
