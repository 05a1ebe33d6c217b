// Flags of npm commands: checks values against a table of bounds, prints the help text, and exits with a
// message on an invalid flag. Used by every command and imports none.
import { basename, dirname } from "node:path";
import * as z from "zod";
import { count, FlagFault, number, readFlags } from "../../gpu-backend/flags.ts";
import { FolderFault, makeFolder } from "./out-folder.ts";

export interface NumberFlag {
  min: number;
  max: number;
  /** The default. */
  value: number;
  /** Whether the value must be an integer. */
  whole?: boolean;
  help: string;
}

/** A flag for an integer from `min` to `max`, with `value` as its default. */
export const wholeNumber = (min: number, max: number, value: number, help: string): NumberFlag => ({
  min,
  max,
  value,
  whole: true,
  help,
});

export interface TextFlag {
  /** The default. */
  value: string;
  /** Whether the flag must be given. */
  required?: boolean;
  /** The value is an output file. A path that cannot be written is an error before the command starts. */
  file?: boolean;
  /** Errors do not repeat the value, because it may be a key. */
  secret?: boolean;
  /** Returns the error for an invalid value, or null. */
  fault?: (text: string) => string | null;
  help: string;
}

/** A repeatable flag that takes one of `choices`. */
export interface ListFlag {
  choices: readonly string[];
  help: string;
}

export interface CommandFlags<N extends string, T extends string, S extends string, L extends string> {
  command: string;
  /** The command line, where the command is not an npm script. */
  call?: string;
  /** The command's description, in a sentence or two. */
  description: string;
  numbers?: Readonly<Record<N, NumberFlag>>;
  texts?: Readonly<Record<T, TextFlag>>;
  /** Help text by switch. */
  switches?: Readonly<Record<S, string>>;
  lists?: Readonly<Record<L, ListFlag>>;
  /** Help text by environment variable. */
  variables?: Readonly<Record<string, string>>;
}

type AnyFlags = CommandFlags<string, string, string, string>;

const bounds = ({ min, max, whole }: NumberFlag) =>
  `${whole === true ? "an integer" : "a number"} from ${min} to ${max}`;

const standard = ({ value, required }: TextFlag) => (required === true ? "required" : `default: ${value || "none"}`);

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join("\n");
}

function usage({
  command,
  call = `npm run ${command} --`,
  description,
  numbers = {},
  texts = {},
  switches = {},
  lists = {},
  variables = {},
}: AnyFlags): string {
  const flags: (readonly [string, string])[] = [
    ...Object.entries(numbers).map(
      ([name, flag]) => [`--${name} N`, `${flag.help}; ${bounds(flag)} (default: ${flag.value})`] as const,
    ),
    ...Object.entries(texts).map(([name, flag]) => [`--${name} TEXT`, `${flag.help} (${standard(flag)})`] as const),
    ...Object.entries(lists).map(
      ([name, { choices, help }]) => [`--${name} NAME`, `${help}; repeatable, one of ${choices.join(", ")}`] as const,
    ),
    ...Object.entries(switches).map(([name, help]) => [`--${name}`, help] as const),
    ["--help", "prints this help"] as const,
  ];
  const named = Object.entries(variables);
  const set = named.length === 0 ? "" : `\n\nEnvironment variables:\n\n${columns(named)}`;
  return `${call} [flags]\n\n${description}\n\n${columns(flags)}${set}`;
}

/**
 * Parses the flags in `argv`. `--help` prints the help and exits with 0. An unknown flag or an invalid value
 * prints an error and exits with 2.
 */
export function commandFlags<
  N extends string = never,
  T extends string = never,
  S extends string = never,
  L extends string = never,
>(
  flags: CommandFlags<N, T, S, L>,
  argv: readonly string[] = process.argv.slice(2),
): Record<N, number> & Record<T, string> & Record<S, boolean> & Record<L, string[]> {
  const refuse = (fault: string): never => {
    console.error(`kritai ${flags.command}: ${fault}\n\n${usage(flags)}`);
    process.exit(2);
  };
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(usage(flags));
    process.exit(0);
  }
  const texts = Object.entries<TextFlag>(flags.texts ?? {});
  try {
    const unsaid = texts.filter(([, { secret }]) => secret === true).map(([name]) => name);
    const read = readFlags(schemaOf(flags), argv, { unsaid }).flags;
    for (const [name, { file }] of texts) {
      const text = read[name] as string;
      if (file === true && text !== "") assertWritable(`--${name}`, text, refuse);
    }
    return read as ReturnType<typeof commandFlags<N, T, S, L>>;
  } catch (fault) {
    if (!(fault instanceof FlagFault)) throw fault;
    return refuse(fault.message);
  }
}

function schemaOf({ numbers = {}, texts = {}, switches = {}, lists = {} }: AnyFlags): z.ZodObject {
  const asNumber = (flag: NumberFlag) =>
    flag.whole === true ? count(flag.min, flag.max) : number(flag.min, flag.max, bounds(flag));
  const asList = ({ choices }: ListFlag) =>
    z
      .array(z.string())
      .refine((given) => given.every((name) => choices.includes(name)), `must be one of ${choices.join(", ")}`);
  const each = <F>(table: Readonly<Record<string, F>>, schema: (flag: F) => z.ZodType) =>
    Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, schema(flag)]));
  return z.object({
    ...each(numbers, (flag) => asNumber(flag).default(flag.value)),
    ...each(texts, asText),
    ...each(switches, () => z.boolean().default(false)),
    ...each(lists, (flag) => asList(flag).default([])),
  });
}

function asText({ value, required, fault }: TextFlag): z.ZodType {
  const text = z.string().superRefine((given, context) => {
    const wrong = fault?.(given) ?? null;
    if (wrong !== null) context.addIssue(wrong);
  });
  return required === true ? text : text.default(value);
}

function assertWritable(flag: string, file: string, refuse: (fault: string) => never): void {
  try {
    makeFolder(flag, dirname(file), [basename(file)]);
  } catch (fault) {
    if (!(fault instanceof FolderFault)) throw fault;
    refuse(fault.message);
  }
}
