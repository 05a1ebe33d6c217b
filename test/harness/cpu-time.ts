// The CPU time of this thread: what bounds an algorithm in a test, since a clock on a busy machine
// also counts what others do.
import { threadCpuUsage } from "node:process";

/** CPU time that this thread has used so far, ms. */
export function cpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}
