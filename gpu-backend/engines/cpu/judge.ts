// Judges programs by running them on the sample tests of the problem statement, and writes the pass counts as
// an answer in the verifier's format.
import { LETTERS, type ReadPrompt } from "../../../src/core/judges/render.ts";
import { roundHalfEven } from "../../../src/core/text/python-text.ts";
import { languagesOf, ResultCache } from "./programs.ts";
import { findSamples } from "./samples.ts";
import type { Language } from "./sandbox/protocol.ts";
import { DEFAULT_LIMITS, type Program, type Sandbox } from "./sandbox/sandbox.ts";
import { isTestable, runTests, type TestCase, type TestResult } from "./test-cases.ts";

/** Number of programs whose results are cached. */
const REMEMBERED_PROGRAMS = 4096;

const FAILURE_WORDS: Record<Exclude<TestResult["status"], "unavailable">, string> = {
  ok: "wrong answer",
  error: "error",
  timeout: "time-out",
  memory: "out of memory",
  output_limit: "too much output",
  unsupported: "uses an unsupported feature",
  unknown: "result unknown",
};

/** Thrown if the sandbox could not run a program. The judge then gives neither a verdict nor "cannot tell". */
export class SandboxUnavailable extends Error {}

interface Candidate {
  language: Language | null;
  /** null if the program was not run. */
  results: TestResult[] | null;
}

/** Answers comparisons with one sandbox and caches the results. */
export class Judge {
  readonly #sandbox: Sandbox;
  readonly cache = new ResultCache(REMEMBERED_PROGRAMS);

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /**
   * The verifier's answer: a trace in think tags, then a box (`tie` if the samples do not separate the best
   * programs), or a sentence without a box if the samples decide nothing.
   * @throws SandboxUnavailable; the signal's reason if it is aborted
   */
  async answer(prompt: ReadPrompt, signal?: AbortSignal, tenant?: string): Promise<string> {
    const languages = languagesOf(prompt.candidates);
    const tests = findSamples(prompt.question).filter((test) =>
      languages.every((l) => l === null || isTestable(test, l)),
    );
    const candidates = await Promise.all(
      prompt.candidates.map(async ({ code }, k): Promise<Candidate> => {
        const language = languages[k] ?? null;
        const results =
          language && tests.length > 0 ? await this.#results({ language, source: code, tenant }, tests, signal) : null;
        return { language, results };
      }),
    );
    const verdict = prompt.form === "scores" ? scoresVerdict(candidates, tests) : letterVerdict(candidates, tests);
    return `<think>\n${trace(candidates, tests)}\n${verdict.reason}\n</think>\n\n${verdict.final}`;
  }

  async #results(program: Program, tests: readonly TestCase[], signal?: AbortSignal): Promise<TestResult[]> {
    const key = ResultCache.key(program.language, program.source, tests);
    const run = (stop: AbortSignal) => runTests(this.#sandbox, program, tests, {}, stop);
    const results = await this.cache.get(key, run, signal);
    const missing = results.find((r) => r.status === "unavailable");
    if (missing) throw new SandboxUnavailable(missing.error ?? "the sandbox did not answer");
    return results;
  }
}

/** Lower and upper bound of the number of samples that a program passes. */
interface Bounds {
  min: number;
  max: number;
}

/**
 * A program in an unsupported language passes nothing. Otherwise a language tag could protect a wrong program
 * from losing.
 */
function boundsOf({ results }: Candidate): Bounds {
  if (results === null) return { min: 0, max: 0 };
  const unknown = results.filter(({ status }) => status === "unknown").length;
  return { min: passCount(results), max: passCount(results) + unknown };
}

const passCount = (results: readonly TestResult[]) => results.filter((r) => r.passed).length;

/** A summary of the runs in fixed wording. Never repeats a program's output. */
function trace(candidates: readonly Candidate[], tests: readonly TestCase[]): string {
  const shown = `The statement shows ${tests.length === 0 ? "no runnable sample test" : plural(tests.length, "sample test")}.`;
  const how = `Each program is run on them in a sandbox, with ${DEFAULT_LIMITS.timeout_ms} ms and ${DEFAULT_LIMITS.memory_mb} MiB per run.`;
  const rows = candidates.map(({ language, results }, k) => {
    const name = `${LETTERS[k]} (${language ?? "unknown language"})`;
    if (results === null) return `${name}: not run.`;
    return `${name}: passed ${passCount(results)} of ${results.length}${failures(results)}.`;
  });
  return [tests.length === 0 ? shown : `${shown} ${how}`, ...rows].join("\n");
}

function failures(results: readonly TestResult[]): string {
  const counts = new Map<string, number>();
  for (const { passed, status } of results) {
    if (passed || status === "unavailable") continue;
    counts.set(FAILURE_WORDS[status], (counts.get(FAILURE_WORDS[status]) ?? 0) + 1);
  }
  return counts.size === 0 ? "" : `; ${[...counts].map(([word, n]) => `${word}: ${n}`).join(", ")}`;
}

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;

interface Verdict {
  reason: string;
  final: string;
}

const cannotTell = (reason: string): Verdict => ({ reason, final: `${reason} No choice is made.` });

/** The bounds of each program, or a verdict that says why nothing can be decided. */
function known(candidates: readonly Candidate[], tests: readonly TestCase[]): Bounds[] | Verdict {
  if (tests.length === 0) return cannotTell("Programs cannot be judged without sample tests.");
  if (candidates.every(({ results }) => results === null))
    return cannotTell("None of the programs can be run, so they cannot be compared.");
  return candidates.map(boundsOf);
}

function letterVerdict(candidates: readonly Candidate[], tests: readonly TestCase[]): Verdict {
  const bounds = known(candidates, tests);
  if (!Array.isArray(bounds)) return bounds;
  const best = Math.max(...bounds.map(({ min }) => min));
  const winners = bounds.flatMap(({ max }, k) => (max >= best ? [k] : []));
  const letters = winners.map((k) => LETTERS[k]).join(", ");
  if (winners.length > 1) {
    const reason = `The samples do not separate ${letters}.`;
    // A tie requires complete results: a program that was not run completely might be better.
    const seen = winners.every((k) => candidates[k]?.results && bounds[k]?.min === bounds[k]?.max);
    return seen ? { reason, final: `${reason} \\boxed{tie}` } : cannotTell(reason);
  }
  return { reason: `${letters} passes more sample tests than the others.`, final: `\\boxed{${letters}}` };
}

function scoresVerdict(candidates: readonly Candidate[], tests: readonly TestCase[]): Verdict {
  const bounds = known(candidates, tests);
  if (!Array.isArray(bounds)) return bounds;
  if (bounds.some(({ min, max }) => min < max))
    return cannotTell("Some programs cannot be run here, so no scores are given.");
  const scores = bounds.map(({ min }) => roundHalfEven((10 * min) / tests.length));
  return {
    reason: "Each score is ten times the share of sample tests passed.",
    final: `\\boxed{[${scores.join(",")}]}`,
  };
}
