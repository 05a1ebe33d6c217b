// Owns the flags of commands that take little but numbers: their help, their bounds, and what a
// wrong one is told. Knows no command.
import { basename, dirname } from "node:path";
import * as z from "zod";
import { count, FlagFault, number, readFlags } from "../../gpu-backend/flags.ts";
import { FolderFault, makeFolder } from "./report/out-folder.ts";

export interface NumberFlag {
  least: number;
  most: number;
  /** Taken when the flag is not given. */
  value: number;
  /** Only whole numbers. */
  whole?: boolean;
  help: string;
}

export interface TextFlag {
  value: string;
  /** It names a file that will be written: one that cannot be is refused before the work. */
  file?: boolean;
  help: string;
}

interface Flags<N extends string, T extends string> {
  command: string;
  /** What the command does, in a sentence or two. */
  about: string;
  numbers: Readonly<Record<N, NumberFlag>>;
  texts: Readonly<Record<T, TextFlag>>;
}

const bounds = ({ least, most, whole }: NumberFlag) =>
  `${whole === true ? "an integer" : "a number"} from ${least} to ${most}`;

function usage({ command, about, numbers, texts }: Flags<string, string>): string {
  const rows = [
    ...Object.entries(numbers).map(([name, flag]) => [`--${name} N`, `${flag.help}; ${bounds(flag)} (${flag.value})`]),
    ...Object.entries(texts).map(([name, { value, help }]) => [`--${name} TEXT`, `${help} (${value || "none"})`]),
  ];
  const width = Math.max(...rows.map(([flag = ""]) => flag.length));
  const lines = rows.map(([flag = "", help]) => `  ${flag.padEnd(width)}  ${help}`);
  return `npm run ${command} -- [flags]\n\n${about}\n\n${lines.join("\n")}`;
}

/**
 * The values of the flags in `argv`. `--help` prints what there is and ends the process with 0; a
 * flag that does not exist or is out of its bounds ends it with 2 and says which.
 */
export function numberFlags<N extends string, T extends string>(
  flags: Flags<N, T>,
  argv: readonly string[] = process.argv.slice(2),
): Record<N, number> & Record<T, string> {
  const refuse = (fault: string): never => {
    console.error(`kritai ${flags.command}: ${fault}\n\n${usage(flags)}`);
    process.exit(2);
  };
  if (argv.includes("--help")) {
    console.log(usage(flags));
    process.exit(0);
  }
  try {
    const read = readFlags(schemaOf(flags), argv).flags as Record<N, number> & Record<T, string>;
    for (const [name, { file }] of Object.entries<TextFlag>(flags.texts)) {
      const text = read[name as T] as string;
      if (file === true && text !== "") assertWritable(`--${name}`, text, refuse);
    }
    return read;
  } catch (fault) {
    if (!(fault instanceof FlagFault)) throw fault;
    return refuse(fault.message);
  }
}

function schemaOf({ numbers, texts }: Flags<string, string>): z.ZodObject {
  const asNumber = (flag: NumberFlag) =>
    flag.whole === true ? count(flag.least, flag.most) : number(flag.least, flag.most, bounds(flag));
  return z.object({
    ...Object.fromEntries(Object.entries(numbers).map(([name, flag]) => [name, asNumber(flag).default(flag.value)])),
    ...Object.fromEntries(Object.entries(texts).map(([name, { value }]) => [name, z.string().default(value)])),
  });
}

function assertWritable(flag: string, file: string, refuse: (fault: string) => never): void {
  try {
    makeFolder(flag, dirname(file), [basename(file)]);
  } catch (fault) {
    if (!(fault instanceof FolderFault)) throw fault;
    refuse(fault.message);
  }
}
