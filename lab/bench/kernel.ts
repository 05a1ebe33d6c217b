// Defines what the kernel says of a process: its CPU time, its waits for a core, its resident memory.
import { readFileSync } from "node:fs";

/** The kernel's unit of utime and stime, fixed at 100 a second for user space on Linux. */
const TICK_MS = 10;

/** User and system time of all threads so far, ms; 10 ms a step. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // Fields after the command, which may hold blanks itself: state is field 3, utime 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory, and the most it has been, bytes. */
export function rss(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}

/**
 * Time that the main thread could have run and had no core, ms: a measurement beside it is worth
 * little where this is large.
 */
export function coreWaitMs(pid: number): number {
  const [, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ");
  return Number(waited) / 1e6;
}
