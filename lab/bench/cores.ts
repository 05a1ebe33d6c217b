// Gives the program under test a separate core, and the benchmark the others.
import { execFileSync } from "node:child_process";

export interface Cores {
  /** For the program under test, as `taskset` takes it. */
  program: string;
  /** Gives this process its cores back. */
  restore(): void;
}

const setOwn = (list: string) =>
  void execFileSync("taskset", ["--all-tasks", "--pid", "--cpu-list", list, String(process.pid)], { stdio: "pipe" });

/** Moves this process off the last of its cores; null where there is only one, or no `taskset`. */
export function splitCores(): Cores | null {
  try {
    const said = execFileSync("taskset", ["--pid", "--cpu-list", String(process.pid)], { encoding: "utf8" });
    const list = said.slice(said.lastIndexOf(":") + 1).trim();
    const cores = list.split(",").flatMap((range) => {
      const [from, to = from] = range.split("-").map(Number) as [number, number?];
      return Array.from({ length: to - from + 1 }, (_, n) => from + n);
    });
    const program = cores.pop();
    if (program === undefined || cores.length === 0) return null;
    setOwn(cores.join(","));
    return { program: String(program), restore: () => setOwn(list) };
  } catch {
    return null;
  }
}
