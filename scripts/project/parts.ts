// The command line of commands that are several: the first word says which, `--help` lists them, and a word
// that is none is refused.
import { nearest } from "../../src/core/faults/suggestion.ts";

export interface Parts<N extends string> {
  /** As a person calls it, e.g. `npm run lab --`. */
  call: string;
  /** Its description, in a sentence or two. */
  description: string;
  /** By name, what each is. */
  names: Readonly<Record<N, string>>;
}

/** The usage: every name with what it is. */
function usageOf({ call, description, names }: Parts<string>): string {
  const rows = Object.entries(names);
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${call} NAME [flags]\n\n${description}\n\n${rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`).join("\n")}`;
}

export const isHelp = (word: string | undefined): boolean => word === "--help" || word === "-h";

/** Whether `word` is one of the names. */
export const isPart = <N extends string>({ names }: Parts<N>, word: string | undefined): word is N =>
  word !== undefined && Object.hasOwn(names, word);

/** Prints the usage and ends the process with 0. */
export function sayHelp(parts: Parts<string>): never {
  console.log(usageOf(parts));
  process.exit(0);
}

/**
 * The name that stands first. Ends the process with 0 after `--help`, with 2 where it is missing or
 * is none.
 */
export function partOf<N extends string>(parts: Parts<N>, word: string | undefined): N {
  if (isHelp(word)) sayHelp(parts);
  if (isPart(parts, word)) return word;
  const suggestion = nearest(word ?? "", Object.keys(parts.names));
  const fault =
    word === undefined
      ? "say which"
      : `there is no ${word}${suggestion === null ? "" : `; did you mean ${suggestion}?`}`;
  console.error(`kritai: ${fault}\n\n${usageOf(parts)}`);
  process.exit(2);
}
