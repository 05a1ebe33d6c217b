// Inputs for running a group's programs in a sandbox, and the possible outcomes of a test.

/** A test case, which is the input for one run of a program. */
export interface RunCase {
  stdin?: string | undefined;
  stdout?: string | undefined;
  assert?: string | undefined;
  /** The function that the assert calls, if the task names one. */
  function?: string | undefined;
  /** Absolute or relative tolerance for numbers; default: `TestRuns.tolerance`. */
  tolerance?: number | undefined;
}

/** Inputs that all test runs of a group share. */
export interface TestRuns {
  cases: readonly RunCase[];
  language: string;
  timeout_ms: number;
  tolerance?: number | undefined;
}

export const RUN_STATUSES = ["pass", "fail", "timeout", "runtime", "memory", "compile"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Languages in which a run can detect whether the code after an assert was reached. */
export const ASSERTING = ["python", "javascript"] as const;

const ALIASES: Readonly<Record<string, string>> = {
  ...{ py: "python", python3: "python", js: "javascript", node: "javascript", nodejs: "javascript" },
  ...{ ts: "typescript", "c++": "cpp", "c#": "csharp", cs: "csharp", golang: "go", rs: "rust", rb: "ruby", sh: "bash" },
};

/** Canonical name of a language, whatever alias the caller uses. */
export const languageOf = (name: string): string => {
  const lower = name.trim().toLowerCase();
  return ALIASES[lower] ?? lower;
};
