// Defines what the kernel says of the edge's memory: workerd's and that of the Node process that holds its
// queues. Linux only; knows no load.
import { readFileSync } from "node:fs";

export interface MemorySample {
  /** Date.now() */
  at: number;
  /** Resident, bytes. */
  workerd: number;
  node: number;
}

const read = (path: string) => readFileSync(path, "latin1");

const resident = (pid: number) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

const childrenOf = (pid: number) => read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** @param pid of the process that started workerd. @throws Error when it has ended */
export function memoryOf(pid: number): MemorySample {
  const workerd = childrenOf(pid).filter((child) => read(`/proc/${child}/comm`).startsWith("workerd"));
  return { at: Date.now(), workerd: workerd.reduce((sum, child) => sum + resident(child), 0), node: resident(pid) };
}
