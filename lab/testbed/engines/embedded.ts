// The embedded engine: the CPU verifier's WebAssembly sandbox, for Python and JavaScript.

import type { Language } from "../../../gpu-backend/engines/cpu/sandbox/protocol.ts";
import { Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { runTests, type TestCase, type TestResult } from "../../../gpu-backend/engines/cpu/test-cases.ts";
import { toTestCase } from "../../problems/measure.ts";
import type { PoolTest } from "../format/pool-format.ts";
import { type ExecutionEngine, type TestOutcome, type TestRun, unmeasured } from "./engine.ts";

/** CPU time, heap and output of one test. */
const LIMITS = { timeout_ms: 1_000, memory_mb: 256, output_bytes: 262_144 };

const isLanguage = (language: string): language is Language => language === "python" || language === "javascript";

function testCaseOf(test: PoolTest): TestCase {
  const testCase = toTestCase(test);
  return testCase.kind === "call" && test.kind === "call"
    ? { ...testCase, strict: test.strict !== false, types: test.strict === "types" }
    : testCase;
}

function runOf({ passed, status, error }: TestResult): TestRun {
  if (status === "unavailable" || status === "unsupported" || status === "unknown") {
    return unmeasured(error ?? "the sandbox failed");
  }
  const outcome: TestOutcome = status === "ok" ? (passed ? "passed" : "wrong") : status;
  return { outcome, reason: null };
}

/**
 * An engine that starts a sandbox for each language with its first program. `workers`: child
 * processes of each, about 200 MB a child.
 */
export function createEmbeddedEngine(workers?: number): ExecutionEngine {
  const sandboxes = new Map<Language, Sandbox>();
  const sandboxOf = (language: Language): Sandbox => {
    const only = { python: language === "python", javascript: language === "javascript" };
    const sandbox = sandboxes.get(language) ?? new Sandbox(workers === undefined ? only : { ...only, workers });
    sandboxes.set(language, sandbox);
    return sandbox;
  };
  return {
    name: `embedded/${LIMITS.timeout_ms}ms`,
    concurrency: 8,
    runs: isLanguage,
    async run({ language, code }, tests) {
      if (!isLanguage(language)) return tests.map(() => unmeasured(`no embedded engine for ${language}`));
      const program = { language, source: code };
      return (await runTests(sandboxOf(language), program, tests.map(testCaseOf), LIMITS)).map(runOf);
    },
    async close() {
      await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.close()));
    },
  };
}
