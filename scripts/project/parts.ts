// Command lines with subcommands: the first word selects one, and `--help` lists them.
import { nearest } from "../../src/core/faults/suggestion.ts";

export interface Parts<N extends string> {
  /** The command line before the subcommand, e.g. `npm run lab --`. */
  call: string;
  /** One or two sentences. */
  description: string;
  /** Descriptions by subcommand. */
  names: Readonly<Record<N, string>>;
}

/** The usage, with a row for each name. */
function usageOf({ call, description, names }: Parts<string>): string {
  const rows = Object.entries(names);
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${call} NAME [flags]\n\n${description}\n\n${rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join("\n")}`;
}

export const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h";

/** Whether `word` is one of the names. */
export const isPart = <N extends string>({ names }: Parts<N>, word: string | undefined): word is N =>
  word !== undefined && Object.hasOwn(names, word);

/** Prints the usage and exits with 0. */
export function sayHelp(parts: Parts<string>): never {
  console.log(usageOf(parts));
  process.exit(0);
}

/**
 * The subcommand `word`. Exits with 0 after `--help`, and with 2 if the subcommand is missing or unknown.
 */
export function partOf<N extends string>(parts: Parts<N>, word: string | undefined): N {
  if (isHelp(word)) sayHelp(parts);
  if (isPart(parts, word)) return word;
  const suggestion = nearest(word ?? "", Object.keys(parts.names));
  const fault =
    word === undefined
      ? "NAME is missing"
      : `unknown NAME ${word}${suggestion === null ? "" : `; did you mean ${suggestion}?`}`;
  console.error(`kritai: ${fault}\n\n${usageOf(parts)}`);
  process.exit(2);
}
