// Pools for the tests of the testbed: arbitrary ones for properties, and engines that answer from the
// program's own text.

import fc from "../../../test/harness/property.ts";
import { type ExecutionEngine, type TestOutcome, unmeasured } from "../../testbed/engines/engine.ts";
import {
  type PoolCandidate,
  PoolCandidateSchema,
  type PoolProblem,
  PoolProblemSchema,
} from "../../testbed/format/pool-format.ts";
import type { Pool } from "../../testbed/sets/pool.ts";

export function problem(problem_id: string, fields: Partial<PoolProblem> = {}): PoolProblem {
  const tests = Array.from({ length: 20 }, (_, i) => ({ kind: "stdio", input: `${i}\n`, output: `${i}\n` }));
  return PoolProblemSchema.parse({
    problem_id,
    prompt: `Statement of ${problem_id}`,
    tests,
    source: "tests",
    ...fields,
  });
}

/** A measured candidate that passes `passed` of 20 tests. */
export function candidate(problem_id: string, passed: number, fields: Partial<PoolCandidate> = {}): PoolCandidate {
  const language = fields.language ?? "python";
  const generator = fields.generator ?? "people";
  const code = fields.code ?? `print(${passed})`;
  return PoolCandidateSchema.parse({
    candidate_id: [problem_id, language, generator, code].join("/").slice(0, 120),
    problem_id,
    language,
    generator,
    code,
    passed,
    total: 20,
    pass_rate: passed / 20,
    failures: passed < 20 ? { wrong: 20 - passed } : {},
    ...fields,
  });
}

/**
 * Pools of several problems, languages and generators, with candidates of any pass rate; programs
 * differ.
 */
export const arbitraryPool: fc.Arbitrary<Pool> = fc
  .array(
    fc.record({
      problem: fc.integer({ min: 0, max: 9 }),
      language: fc.constantFrom("python", "javascript"),
      generator: fc.constantFrom("people", "model-a"),
      passed: fc.integer({ min: 0, max: 20 }),
      declared: fc.constantFrom(null, "right" as const, "wrong" as const),
      words: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((rows) => {
    const candidates = rows.map(({ problem, passed, words, ...rest }, index) =>
      candidate(`p${problem}`, passed, {
        ...rest,
        code: [`program ${index}`, ...words].join(" "),
        candidate_id: `c${index}`,
      }),
    );
    const ids = [...new Set(candidates.map(({ problem_id }) => problem_id))];
    return { problems: ids.map((id) => problem(id)), candidates };
  });

/**
 * An engine for programs of the form `pass N`, `fail KIND` or `crash`; counts what it was given.
 */
export function textEngine(): ExecutionEngine & { programs: string[] } {
  const programs: string[] = [];
  return {
    programs,
    name: "text",
    concurrency: 2,
    runs: (language) => language === "python",
    async run({ code }, tests) {
      programs.push(code);
      const [word, value] = code.split(" ");
      return tests.map((_, index) => {
        if (word === "crash") return unmeasured("the engine crashed");
        const failure = (word === "fail" ? value : "wrong") as TestOutcome;
        return { outcome: word === "pass" && index < Number(value) ? "passed" : failure, reason: null };
      });
    },
    close: async () => {},
  };
}
