// Owns what a flag's text may be: numbers within bounds, rates, addresses, names. Knows no flag.
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

const number = (least: number, most: number, word: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, `must be ${word}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be ${word}`);
/** A number above 0. */
export const above0 = (most: number) => number(Number.MIN_VALUE, most, `a number above 0, at most ${most}`);
/** A number from 0. */
export const from0 = (most: number) => number(0, most, `a number from 0 to ${most}`);
/** An integer. */
export const count = (least: number, most: number) =>
  number(least, most, `an integer from ${least} to ${most}`).refine(
    Number.isInteger,
    `must be an integer from ${least} to ${most}`,
  );
/** A web address. */
export const url = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
/** Two rates, `FROM:TO`. */
export const range = z
  .string()
  .regex(/^\d+(\.\d+)?:\d+(\.\d+)?$/, "must be two rates, FROM:TO")
  .transform((text) => text.split(":").map(Number) as [number, number])
  .refine(
    (rates) => rates.every((rate) => rate > 0 && rate <= LOADTEST_LIMITS.rate_max),
    `must be rates from above 0 to ${LOADTEST_LIMITS.rate_max}`,
  );
/** One of a few words. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

/**
 * The name of an environment variable. A fault of it does not repeat what was given: it may be the
 * key itself.
 */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "takes the name of an environment variable, never a key");
