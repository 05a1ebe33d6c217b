// Runs another program to its end in this one's terminal.
import { spawn } from "node:child_process";

export const ROOT = new URL("../../", import.meta.url).pathname;

interface Where {
  cwd?: string;
  /** Its output goes to stderr. */
  outputToStderr?: boolean;
}

/**
 * Runs a program until it ends. A Ctrl-C reaches it from the terminal, and SIGTERM is passed on.
 * @returns its exit status; 1 where a signal ended it or it could not be started
 */
export function runToEnd(
  program: string,
  args: readonly string[],
  { cwd = ROOT, outputToStderr }: Where = {},
): Promise<number> {
  const stdio = outputToStderr === true ? (["ignore", 2, 2] as const) : ("inherit" as const);
  const child = spawn(program, args, { cwd, stdio: stdio as "inherit" });
  const pass = (signal: NodeJS.Signals) => void (signal === "SIGTERM" && child.kill(signal));
  process.on("SIGINT", pass).on("SIGTERM", pass);
  return new Promise<number>((ended) => {
    child.once("error", (fault) => {
      console.error(`kritai: ${program} cannot be started: ${fault.message}`);
      ended(1);
    });
    child.once("close", (code) => ended(code ?? 1));
  }).finally(() => process.off("SIGINT", pass).off("SIGTERM", pass));
}

/** Goes on as another program of ours, in this process: its flags are `args`. */
export async function goOnAs(file: string, args: readonly string[]): Promise<void> {
  const path = `${ROOT}${file}`;
  process.argv.splice(1, Number.POSITIVE_INFINITY, path, ...args);
  await import(path);
}
