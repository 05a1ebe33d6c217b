// `npm run lab -- testbed`: which commands there are, their help, and how a fault ends the program.
import { FolderFault } from "../../scripts/command-line/out-folder.ts";
import { adversarialCommand } from "./commands/adversarial.ts";
import { buildCommand } from "./commands/build.ts";
import { checkCommand } from "./commands/check.ts";
import { type Command, UsageError } from "./commands/command.ts";
import { importCommand } from "./commands/import.ts";
import { reportCommand } from "./commands/report.ts";
import { mutateCommand, runCommand } from "./commands/run.ts";

const COMMANDS: Record<string, Command> = {
  import: importCommand,
  run: runCommand,
  mutate: mutateCommand,
  build: buildCommand,
  adversarial: adversarialCommand,
  check: checkCommand,
  report: reportCommand,
};

const isHelp = (arg: string | undefined): boolean => arg === "--help" || arg === "-h" || arg === "help";

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Builds sets of candidate lists for evaluating verifiers. File formats: lab/testbed/README.md

npm run lab -- testbed COMMAND [options]; COMMAND --help explains the options

${lines.join("\n")}`;
}

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || isHelp(name)) {
    console.log(overview());
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(`unknown command ${name}; the commands are ${Object.keys(COMMANDS).join(", ")}`);
  if (args.some(isHelp)) {
    console.log(`npm run lab -- testbed ${name}: ${command.summary}\n\n${command.help}`);
    return 0;
  }
  return command.run(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof UsageError || error instanceof FolderFault ? 2 : 1;
}
