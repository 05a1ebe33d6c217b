// Reads a command's flags by a schema: the texts allowed, and the message for a wrong one. Must not know
// commands.
import { parseArgs } from "node:util";
import * as z from "zod";
import { nearest } from "../src/core/faults/suggestion.ts";

/** A command line that cannot be run; the message has a line a fault, each naming its flag. */
export class FlagFault extends Error {}

/** A number in least..most, called `word` in messages. */
export const number = (min: number, max: number, word: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, `must be ${word}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be ${word}`);

/** A number above 0. */
export const above0 = (max: number) => number(Number.MIN_VALUE, max, `a number above 0, at most ${max}`);

/** A number from 0. */
export const from0 = (max: number) => number(0, max, `a number from 0 to ${max}`);

/** An integer. */
export const count = (min: number, max: number) =>
  number(min, max, `an integer from ${min} to ${max}`).refine(
    Number.isInteger,
    `must be an integer from ${min} to ${max}`,
  );

/** A web address. */
export const url = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });

/** One of a few words. */
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

/** A schema that takes `true` is a switch, one that takes a list may be given several times. */
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
  /** The texts as they were given. */
  given: Readonly<Record<string, unknown>>;
  /** Arguments that are not flags. */
  positionals: string[];
}

/**
 * The flags of a command line; one that the schema does not have is a fault.
 * @param unsaid flags whose value is not repeated in a fault: it may be a key
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
 * The message for a flag that the schema does not have, and for a word that is not a flag: it may be a key.
 * null for other faults.
 */
function wordOf({ message, ...fault }: Error & { code?: string }, schema: z.ZodObject): string | null {
  if (fault.code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return "it takes no arguments";
  if (fault.code !== "ERR_PARSE_ARGS_UNKNOWN_OPTION") return null;
  // Only up to an equals sign: what follows may be a key.
  const given = /^Unknown option '(-[^'=]*)/.exec(message)?.[1] ?? "";
  const suggestion = nearest(given.replace(/^-+/, ""), Object.keys(schema.shape));
  return `there is no flag ${given}${suggestion === null ? "" : `; did you mean --${suggestion}?`}`;
}
