// Owns the command line of programs that are set by variables alone: `--help`, and the refusal of
// all else. Knows no program and no variable.

export interface VariablesHelp {
  /** The npm script. */
  command: string;
  about: string;
  /** By name: what it is for, and its default. */
  variables: Readonly<Record<string, { help: string; standard: string }>>;
}

/** What `--help` prints. */
export function usageOf({ command, about, variables }: VariablesHelp): string {
  const rows = Object.entries(variables);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, { help, standard }]) => `  ${name.padEnd(width)}  ${help} (${standard})`);
  return `npm run ${command} [-- --help]\n\n${about}\n\nIt is set by environment variables; the default is in brackets:\n\n${lines.join("\n")}`;
}

/**
 * Ends the process: with 0 and the usage after `--help`, with 2 after any other, naming the flag.
 * Does nothing without arguments.
 */
export function takeOnlyHelp(help: VariablesHelp, argv: readonly string[] = process.argv.slice(2)): void {
  const wrong = argv.find((argument) => argument !== "--help" && argument !== "-h");
  if (wrong !== undefined) {
    // A value, by itself or behind an equals sign, may be a secret.
    const fault = wrong.startsWith("-") ? `there is no flag ${wrong.split("=", 1)[0]}` : "it takes no arguments";
    console.error(`kritai ${help.command}: ${fault}\n\n${usageOf(help)}`);
    process.exit(2);
  }
  if (argv.length === 0) return;
  console.log(usageOf(help));
  process.exit(0);
}
