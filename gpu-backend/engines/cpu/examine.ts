// Owns the judging of asserts and sessions outside the program: what they ask goes in, data comes
// out, and a clean run compares.
import { readFileSync } from "node:fs";
import type { CellResult, RunLimits, RunResult } from "./sandbox/protocol.ts";
import type { Program, Sandbox } from "./sandbox/sandbox.ts";

/** An assert (`exec`) or the lines of an interpreter session (`single`), in one state. */
export interface Examination {
  cells: readonly string[];
  mode: "exec" | "single";
  /** The function that the statement asks for, when it says so. */
  functions: readonly string[];
}

/**
 * What came of an examination: each cell's text, null where it did not hold; or the run that did
 * not end well.
 */
export type Finding = { shown: string[] | null; wall_ms: number } | { run: RunResult };

/** Questions one assert or session may put to the program. Each costs a run of the program. */
const QUESTIONS_MAX = 24;
const REMEMBERED = 2048;

const EXAMINER = { language: "python", source: readFileSync(new URL("examine.py", import.meta.url), "utf8") } as const;

type Said = { ask: string } | { shown: string[] } | { failed: string } | { unknown: string };

/**
 * Judges asserts and sessions where the program has no say: the code of the statement runs in a
 * clean interpreter, which asks for one call after the other; the program's values come back as
 * data, so its `__eq__`, its `sorted` and its frames decide nothing.
 */
export class Examiner {
  readonly #sandbox: Sandbox;
  /** What the clean run said, by what it was told: the same for all programs that answer alike. */
  readonly #said = new Map<string, RunResult>();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async examine(
    program: Program,
    examination: Examination,
    limits: Partial<RunLimits>,
    signal?: AbortSignal,
  ): Promise<Finding> {
    const questions: string[] = [];
    let answers: object[] = [];
    let wall_ms = 0;
    while (questions.length <= QUESTIONS_MAX) {
      const judged = await this.#judge({ ...examination, answers }, signal);
      if (judged.status === "unavailable") return { run: judged };
      const said = readSaid(judged);
      if ("unknown" in said) return { run: { ...judged, status: "unsupported", error: said.unknown } };
      if (!("ask" in said)) return { shown: "shown" in said ? said.shown : null, wall_ms };
      questions.push(said.ask);
      const cells = questions.map((code) => ({ mode: "step" as const, code }));
      const [run] = await this.#sandbox.runPlans(program, [{ stdin: "", cells, as_script: false }], limits, signal);
      if (!run) throw new Error("one plan gives one result");
      if (run.status !== "ok" || run.cells.length < cells.length) return { run: asFailure(run) };
      answers = run.cells.map(readAnswer);
      wall_ms += run.wall_ms;
    }
    const error = `asks the program more than ${QUESTIONS_MAX} times`;
    return { run: { status: "unsupported", stdout: "", cells: [], stderr_tail: "", error, wall_ms } };
  }

  async #judge(asked: Examination & { answers: object[] }, signal: AbortSignal | undefined): Promise<RunResult> {
    const stdin = JSON.stringify(asked);
    const known = this.#said.get(stdin);
    if (known) return known;
    const [result] = await this.#sandbox.runPlans(EXAMINER, [{ stdin, cells: [], as_script: true }], {}, signal);
    if (!result) throw new Error("one plan gives one result");
    const oldest = this.#said.keys().next().value;
    if (this.#said.size >= REMEMBERED && oldest !== undefined) this.#said.delete(oldest);
    if (result.status !== "unavailable") this.#said.set(stdin, result);
    return result;
  }
}

/**
 * A clean run that did not end well was told a value too large to compare: the assert does not
 * hold.
 */
function readSaid({ status, stdout }: RunResult): Said {
  if (status !== "ok") return { failed: status };
  try {
    return JSON.parse(stdout) as Said;
  } catch {
    return { failed: "no answer" };
  }
}

/** A program that left early, however politely, has not answered. */
const asFailure = (run: RunResult): RunResult =>
  run.status === "ok" ? { ...run, status: "error", error: "ended before it had answered" } : run;

function readAnswer({ printed, value }: CellResult): object {
  try {
    const { value: given, args } = JSON.parse(value) as { value: unknown; args: unknown };
    return { printed, value: given, args: Array.isArray(args) ? args : [] };
  } catch {
    return { printed, value: null, args: [] };
  }
}
