// Defines what the texts of the load tester's flags may be, besides what any command's may.
import * as z from "zod";

/** Bounds of the generator itself. */
export const LOADTEST_LIMITS = {
  rate_max: 50_000,
  concurrency_max: 4096,
  connections_max: 4096,
  slice_s_max: 3600,
  slice_requests_max: 500_000,
  repeats_max: 30,
  sweep_steps_max: 50,
  requests_max: 10_000_000,
  run_s_max: 86_400,
} as const;

/** Two rates, `FROM:TO`. */
export const range = z
  .string()
  .regex(/^\d+(\.\d+)?:\d+(\.\d+)?$/, "must be two rates, FROM:TO")
  .transform((text) => text.split(":").map(Number) as [number, number])
  .refine(
    (rates) => rates.every((rate) => rate > 0 && rate <= LOADTEST_LIMITS.rate_max),
    `must be rates above 0 and at most ${LOADTEST_LIMITS.rate_max}`,
  );
/**
 * The name of an environment variable. A fault of it does not repeat what was given: it may be the
 * key itself.
 */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "takes the name of an environment variable, never a key");
