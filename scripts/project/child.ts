// Runs other programs in this process's terminal.
import { spawn } from "node:child_process";

export const ROOT = new URL("../../", import.meta.url).pathname;

interface Where {
  cwd?: string;
  /** Sends the program's output to stderr. */
  outputToStderr?: boolean;
}

/**
 * Runs a program until it exits. Ctrl-C reaches it from the terminal; SIGTERM is passed on.
 * @returns the exit status; 1 if a signal ended the program or it could not be started
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
      console.error(`kritai: cannot start ${program}: ${fault.message}`);
      ended(1);
    });
    child.once("close", (code) => ended(code ?? 1));
  }).finally(() => process.off("SIGINT", pass).off("SIGTERM", pass));
}

/** Runs one of our programs in this process, with the flags `args`. */
export async function goOnAs(file: string, args: readonly string[]): Promise<void> {
  const path = `${ROOT}${file}`;
  process.argv.splice(1, Number.POSITIVE_INFINITY, path, ...args);
  await import(path);
}
