// Command line of programs that are configured only by environment variables: accepts `--help` and rejects
// everything else.
import * as z from "zod";
import { FlagFault, readFlags } from "../flags.ts";

export interface VariablesHelp {
  /** The npm script in gpu-backend. */
  command: string;
  description: string;
  /** Purpose and default of each variable, by name. */
  variables: Readonly<Record<string, { help: string; standard: string }>>;
}

const HELP = z.object({ help: z.boolean().default(false) });

/** The output of `--help`. */
export function usageOf({ command, description, variables }: VariablesHelp): string {
  const rows = Object.entries(variables);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, { help, standard }]) => `  ${name.padEnd(width)}  ${help} (${standard})`);
  return `npm run ${command} -w gpu-backend [-- --help]\n\n${description}\n\nEnvironment variables, with defaults in brackets:\n\n${lines.join("\n")}`;
}

/**
 * Exits with status 0 and the usage after `--help`, or with status 2 after any other argument. Does nothing
 * without arguments.
 */
export function takeOnlyHelp(help: VariablesHelp, argv: readonly string[] = process.argv.slice(2)): void {
  try {
    const { flags } = readFlags(HELP, argv);
    if (!flags.help) return;
  } catch (fault) {
    if (!(fault instanceof FlagFault)) throw fault;
    console.error(`kritai ${help.command}: ${fault.message}\n\n${usageOf(help)}`);
    process.exit(2);
  }
  console.log(usageOf(help));
  process.exit(0);
}
