// Messages between the supervisor and the sandboxed child process.

export type Language = "python" | "javascript";

/**
 * `unsupported`: the program needs something that this sandbox does not have (a package, threads that wait
 * for each other). Counts as the program's failure and is a separate status only for statistics.
 * `unavailable`: the sandbox itself failed (a child died or never started).
 */
export type RunStatus = "ok" | "error" | "timeout" | "memory" | "output_limit" | "unsupported" | "unavailable";

export interface RunLimits {
  /** CPU time of one run, in ms. The supervisor limits wall time to a multiple of this. */
  timeout_ms: number;
  /** Maximum heap, in MiB. */
  memory_mb: number;
  /** Maximum bytes of standard output; more output ends the run. */
  output_bytes: number;
}

/** A call made in the program's state after the program has run. */
export interface Cell {
  /** Name of a function, a method of Solution, or an export. */
  name: string;
  /** The arguments as the inside of a list literal in the program's language. */
  args: string;
}

/** The result of a cell. */
export interface CellResult {
  /** Output of the program during the call. */
  printed: string;
  /** The value as JSON written by the harness. The program controls the content, so validate it. */
  value: string;
}

/** One run of a program: a clean interpreter, this standard input, then these cells. */
export interface RunPlan {
  stdin: string;
  cells: readonly Cell[];
  /**
   * Whether the program runs as a script (`__main__`) or is loaded as a module whose functions the cells
   * call.
   */
  as_script: boolean;
}

export interface RunResult {
  status: RunStatus;
  /** Standard output of the program. */
  stdout: string;
  /** Shorter than the plan's cells if one failed. */
  cells: CellResult[];
  stderr_tail: string;
  /** One human-readable line; null if and only if the status is `ok`. */
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
