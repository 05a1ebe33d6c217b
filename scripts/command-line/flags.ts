// The flags of commands that need more than their own table: their help, their bounds, and the message for a
// wrong one. Must not know commands.
import { basename, dirname } from "node:path";
import * as z from "zod";
import { count, FlagFault, number, readFlags } from "../../gpu-backend/flags.ts";
import { FolderFault, makeFolder } from "./out-folder.ts";

export interface NumberFlag {
  min: number;
  max: number;
  /** Taken when the flag is not given. */
  value: number;
  /** Only whole numbers. */
  whole?: boolean;
  help: string;
}

/** A flag for a whole number from `min` to `max`, with `value` as its default. */
export const wholeNumber = (min: number, max: number, value: number, help: string): NumberFlag => ({
  min,
  max,
  value,
  whole: true,
  help,
});

export interface TextFlag {
  /** Taken when the flag is not given. */
  value: string;
  /** It must be given. */
  required?: boolean;
  /** It names a file that will be written: one that cannot be is refused before the work. */
  file?: boolean;
  /** Its value is not repeated in a fault: it may be a key. */
  secret?: boolean;
  /** What is wrong with a text, or null. */
  fault?: (text: string) => string | null;
  help: string;
}

/** A flag that takes one of a few words, as often as it is given. */
export interface ListFlag {
  choices: readonly string[];
  help: string;
}

export interface CommandFlags<N extends string, T extends string, S extends string, L extends string> {
  command: string;
  /** How it is called where it is not an npm script. */
  call?: string;
  /** The command's description, in a sentence or two. */
  description: string;
  numbers?: Readonly<Record<N, NumberFlag>>;
  texts?: Readonly<Record<T, TextFlag>>;
  /** By name, what each switch does. */
  switches?: Readonly<Record<S, string>>;
  lists?: Readonly<Record<L, ListFlag>>;
  /** By name, what each environment variable that it reads is for. */
  variables?: Readonly<Record<string, string>>;
}

type AnyFlags = CommandFlags<string, string, string, string>;

const bounds = ({ min, max, whole }: NumberFlag) =>
  `${whole === true ? "an integer" : "a number"} from ${min} to ${max}`;

const standard = ({ value, required }: TextFlag) => (required === true ? "required" : value || "none");

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
      ([name, flag]) => [`--${name} N`, `${flag.help}; ${bounds(flag)} (${flag.value})`] as const,
    ),
    ...Object.entries(texts).map(([name, flag]) => [`--${name} TEXT`, `${flag.help} (${standard(flag)})`] as const),
    ...Object.entries(lists).map(
      ([name, { choices, help }]) =>
        [`--${name} NAME`, `${help}; may be given again, one of ${choices.join(", ")}`] as const,
    ),
    ...Object.entries(switches).map(([name, help]) => [`--${name}`, help] as const),
    ["--help", "this text"] as const,
  ];
  const named = Object.entries(variables);
  const set = named.length === 0 ? "" : `\n\nEnvironment variables:\n\n${columns(named)}`;
  return `${call} [flags]\n\n${description}\n\n${columns(flags)}${set}`;
}

/**
 * The values of the flags in `argv`. `--help` prints what there is and ends the process with 0; a
 * flag that does not exist or is out of its bounds ends it with 2 and says which.
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
      .refine((given) => given.every((name) => choices.includes(name)), `takes one of ${choices.join(", ")}`);
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
