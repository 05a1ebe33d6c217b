// Parses a command's flags with a zod schema, and words the errors.
import { parseArgs } from "node:util";
import * as z from "zod";
import { nearest } from "../src/core/faults/suggestion.ts";

/** An invalid command line. The message has one line per error, each naming its flag. */
export class FlagFault extends Error {}

/** A number from `min` to `max`; `word` describes it in errors. */
export const number = (min: number, max: number, word: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, `must be ${word}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${word}`);

/** A number above 0, at most `max`. */
export const above0 = (max: number) => number(Number.MIN_VALUE, max, `a number above 0, at most ${max}`);

/** A number from 0 to `max`. */
export const from0 = (max: number) => number(0, max, `a number from 0 to ${max}`);

/** An integer from `min` to `max`. */
export const count = (min: number, max: number) =>
  number(min, max, `an integer from ${min} to ${max}`).refine(
    Number.isInteger,
    `must be an integer from ${min} to ${max}`,
  );

/** An http or https URL. */
export const url = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** One of the given words. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

/**
 * Options for parseArgs: a schema that accepts `true` is a switch, and one that accepts a list may be
 * repeated.
 */
function optionsOf(schema: z.ZodObject) {
  return Object.fromEntries(
    Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, flag]) => [
      name,
      {
        type: flag.safeParse(true).success ? ("boolean" as const) : ("string" as const),
        multiple: flag.safeParse([]).success,
        ...(name === "help" && { short: "h" }),
      },
    ]),
  );
}

export interface GivenFlags<T> {
  flags: T;
  /** The flags as given, before the schema was applied. */
  given: Readonly<Record<string, unknown>>;
  /** Arguments that are not flags. */
  positionals: string[];
}

/**
 * Parses a command line. A flag that the schema does not define is an error.
 * @param unsaid flags whose value is not repeated in errors, because it may be a key
 * @throws FlagFault
 */
export function readFlags<S extends z.ZodObject>(
  schema: S,
  argv: readonly string[],
  { positionals: allowPositionals = false, unsaid = [] as readonly string[] } = {},
): GivenFlags<z.output<S>> {
  const { values, positionals } = parsed(schema, argv, allowPositionals);
  const given = { ...values };
  const read = schema.safeParse(given);
  if (read.success) return { flags: read.data, given, positionals };
  const faults = new Map<string, string>();
  for (const { path, message } of read.error.issues) {
    const name = String(path[0]);
    if (faults.has(name)) continue;
    const said = unsaid.includes(name) ? "" : `, not '${String(given[name])}'`;
    faults.set(name, given[name] === undefined ? `--${name} is required` : `--${name} ${message}${said}`);
  }
  throw new FlagFault([...faults.values()].join("\n"));
}

function parsed(schema: z.ZodObject, argv: readonly string[], allowPositionals: boolean) {
  try {
    return parseArgs({ args: [...argv], options: optionsOf(schema), allowPositionals });
  } catch (fault) {
    throw new FlagFault(wordOf(fault as Error, schema) ?? (fault as Error).message);
  }
}

/**
 * The message for an unknown flag or for an argument that is not a flag, without its value, which may be a
 * key. Null for other errors.
 */
function wordOf({ message, ...fault }: Error & { code?: string }, schema: z.ZodObject): string | null {
  if (fault.code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return "this command takes no arguments";
  if (fault.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return null;
  // Quotes only the part before an equals sign, because the value may be a key.
  const given = /^Unknown option '(-[^'=]*)/.exec(message)?.[1] ?? "";
  const suggestion = nearest(given.replace(/^-+/, ""), Object.keys(schema.shape));
  return `there is no flag ${given}${suggestion === null ? "" : `; did you mean --${suggestion}?`}`;
}
