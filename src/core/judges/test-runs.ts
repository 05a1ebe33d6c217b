// Inputs for running a group's programs in a sandbox, and the possible results of a test.

/** A test case: the input of one run of a program. */
export interface RunCase {
  stdin?: string | undefined;
  stdout?: string | undefined;
  assert?: string | undefined;
  /** The function that the assert calls, if the task names it. */
  function?: string | undefined;
  /** Absolute or relative tolerance for numbers; default: `TestRuns.tolerance`. */
  tolerance?: number | undefined;
}

/** Inputs shared by all test runs of a group. */
export interface TestRuns {
  cases: readonly RunCase[];
  language: string;
  timeout_ms: number;
  tolerance?: number | undefined;
}

export const RUN_STATUSES = ["pass", "fail", "timeout", "runtime", "memory", "compile"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Languages in which we can detect whether the code behind an assert was reached. */
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
