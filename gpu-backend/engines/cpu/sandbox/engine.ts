// The interface shared by both interpreters, and the conversion of a run's end into a failure.
import { type RunBudget, RunEnded } from "./budget.ts";
import type { RunLimits, RunPlan, RunResult, RunStatus } from "./protocol.ts";

export interface Engine {
  /** Runs a program from a clean state. Never throws because of the program. */
  run(source: string, plan: RunPlan, limits: RunLimits): RunResult | Promise<RunResult>;
}

export interface Failure {
  status: RunStatus;
  error: string;
}

/** The failure that a thrown value represents; null if the program ended itself successfully. */
export function failureOf(thrown: unknown, budget: RunBudget): Failure | null {
  const ended = budget.ended ?? (thrown instanceof RunEnded ? thrown : null);
  if (ended) return ended.status === "ok" ? null : { status: ended.status, error: ended.message };
  if (budget.memoryRefused) return { status: "memory", error: `memory use exceeds ${budget.limits.memory_mb} MiB` };
  const overflow = thrown instanceof RangeError;
  return { status: "error", error: overflow ? "the stack overflowed" : "the interpreter trapped" };
}
