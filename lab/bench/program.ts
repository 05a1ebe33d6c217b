// Runs one of the repository's servers as a separate process, until it says that it is ready.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Program {
  url: string;
  pid: number;
  close(): Promise<void>;
}

export interface ProgramOptions {
  /** Node's own. */
  flags?: readonly string[];
  /** The cores it may use, as `taskset` takes them; all when left out. */
  cores?: string | undefined;
}

/**
 * Starts a program that prints `ready URL`, with these variables and PATH alone.
 * @param main its path from the repository's root. @throws Error when it ends before it is ready
 */
export async function startProgram(
  main: string,
  env: Record<string, string>,
  { flags = [], cores }: ProgramOptions = {},
): Promise<Program> {
  const path = new URL(`../../${main}`, import.meta.url).pathname;
  const node = [process.execPath, ...flags, path];
  // taskset becomes the program it starts: the process id stays the same.
  const [file, ...args] = cores === undefined ? node : ["taskset", "--cpu-list", cores, ...node];
  const child = spawn(file as string, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    return {
      url,
      pid: child.pid as number,
      close: async () => {
        child.kill();
        await exited;
      },
    };
  }
  throw new Error(`${main} exited before it was ready`);
}
