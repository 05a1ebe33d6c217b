// Owns the flags of commands that take little but numbers: their help, their bounds, and what a
// wrong one is told. Knows no command.
import { basename, dirname } from "node:path";
import { parseArgs } from "node:util";
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
  `a ${whole === true ? "whole number" : "number"} from ${least} to ${most}`;

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
  const names = [...Object.keys(flags.numbers), ...Object.keys(flags.texts)];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  let given: Record<string, string | boolean | undefined> = {};
  try {
    given = parseArgs({ args: [...argv], options: { ...options, help: { type: "boolean" } } }).values;
  } catch (error) {
    refuse((error as Error).message);
  }
  if (given.help === true) {
    console.log(usage(flags));
    process.exit(0);
  }
  const read: Record<string, number | string> = {};
  for (const [name, flag] of Object.entries<NumberFlag>(flags.numbers)) {
    const text = given[name] as string | undefined;
    const value = text === undefined ? flag.value : text.trim() === "" ? Number.NaN : Number(text);
    const fits = value >= flag.least && value <= flag.most && (flag.whole !== true || Number.isInteger(value));
    if (!fits) refuse(`--${name} takes ${bounds(flag)}, it is ${JSON.stringify(text)}`);
    read[name] = value;
  }
  for (const [name, { value, file }] of Object.entries<TextFlag>(flags.texts)) {
    const text = (given[name] as string) ?? value;
    if (file === true && text !== "") assertWritable(`--${name}`, text, refuse);
    read[name] = text;
  }
  return read as Record<N, number> & Record<T, string>;
}

function assertWritable(flag: string, file: string, refuse: (fault: string) => never): void {
  try {
    makeFolder(flag, dirname(file), [basename(file)]);
  } catch (fault) {
    if (!(fault instanceof FolderFault)) throw fault;
    refuse(fault.message);
  }
}
