// Defines what the two interpreters have in common: the shape of an engine and how an end becomes a result.
// Knows neither.
import { type RunBudget, RunEnded } from "./budget.ts";
import type { RunLimits, RunPlan, RunResult, RunStatus } from "./protocol.ts";

export interface Engine {
  /** Runs a program from a clean state. Never throws for what the program does. */
  run(source: string, plan: RunPlan, limits: RunLimits): RunResult | Promise<RunResult>;
}

export interface Failure {
  status: RunStatus;
  error: string;
}

/** The failure that a thrown value means; null for a program that ended itself in good order. */
export function failureOf(thrown: unknown, budget: RunBudget): Failure | null {
  const ended = budget.ended ?? (thrown instanceof RunEnded ? thrown : null);
  if (ended) return ended.status === "ok" ? null : { status: ended.status, error: ended.message };
  if (budget.memoryRefused) return { status: "memory", error: `more than ${budget.limits.memory_mb} MiB` };
  const overflow = thrown instanceof RangeError;
  return { status: "error", error: overflow ? "the stack overflowed" : "the interpreter trapped" };
}
