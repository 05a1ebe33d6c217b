// What is put to a sandbox about a group's programs, and what it can say of a test.

/** One input of a program's run. */
export interface RunCase {
  stdin?: string | undefined;
  stdout?: string | undefined;
  assert?: string | undefined;
  /** The function that the assert calls, where the task names it. */
  function?: string | undefined;
  /** Absolute or relative, of numbers; default: that of all runs. */
  tolerance?: number | undefined;
}

/** All that the questions about a group's programs are asked with. */
export interface TestRuns {
  cases: readonly RunCase[];
  language: string;
  timeout_ms: number;
  tolerance?: number | undefined;
}

export const RUN_STATUSES = ["pass", "fail", "timeout", "runtime", "memory", "compile"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Languages in which it is known whether the code behind an assert was reached. */
export const ASSERTING = ["python", "javascript"] as const;

const ALIASES: Readonly<Record<string, string>> = {
  ...{ py: "python", python3: "python", js: "javascript", node: "javascript", nodejs: "javascript" },
  ...{ ts: "typescript", "c++": "cpp", "c#": "csharp", cs: "csharp", golang: "go", rs: "rust", rb: "ruby", sh: "bash" },
};

/** A language's name in our words, whatever the caller calls it. */
export const languageOf = (name: string): string => {
  const lower = name.trim().toLowerCase();
  return ALIASES[lower] ?? lower;
};
