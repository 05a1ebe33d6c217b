// The words that the supervisor and the sandboxed child exchange. Knows neither pyodide nor quickjs.

export type Language = "python" | "javascript";

/**
 * `unsupported`: the program needs what this sandbox does not have (a package, threads that wait
 * for each other): its own failure, told apart for whoever measures. `unavailable`: the sandbox
 * itself failed (a child died or never started).
 */
export type RunStatus = "ok" | "error" | "timeout" | "memory" | "output_limit" | "unsupported" | "unavailable";

export interface RunLimits {
  /** CPU time of one run, ms. Wall time is bounded by the supervisor at a multiple of it. */
  timeout_ms: number;
  /** Largest heap, MiB. */
  memory_mb: number;
  /** Most bytes of standard output kept; more ends the run. */
  output_bytes: number;
}

/** What is asked of a program after it has run, in its state. */
export interface Cell {
  /** A function, a method of Solution or an export. */
  name: string;
  /** The inside of a list in the program's language. */
  args: string;
}

/** The result of a cell. */
export interface CellResult {
  /** The program's output meanwhile. */
  printed: string;
  /**
   * The value, as JSON that the harness wrote: data of the program's choosing, to be read with
   * care.
   */
  value: string;
}

/** One run of a program: from a clean interpreter, with this standard input, then these cells. */
export interface RunPlan {
  stdin: string;
  cells: readonly Cell[];
  /**
   * Whether the program is run as a script (`__main__`) or loaded as a module whose functions the
   * cells call.
   */
  as_script: boolean;
}

export interface RunResult {
  status: RunStatus;
  /** The program's own output. */
  stdout: string;
  /** Shorter than the plan's cells when one failed. */
  cells: CellResult[];
  stderr_tail: string;
  /** One line for people; null exactly when status is `ok`. */
  error: string | null;
  wall_ms: number;
}

export interface Job {
  id: number;
  language: Language;
  source: string;
  plans: readonly RunPlan[];
  limits: RunLimits;
}

export type ToChild = { type: "job"; job: Job } | { type: "cancel"; id: number };

export type FromChild =
  | { type: "ready" }
  | { type: "failed"; detail: string }
  | { type: "result"; id: number; index: number; result: RunResult }
  | { type: "done"; id: number };
