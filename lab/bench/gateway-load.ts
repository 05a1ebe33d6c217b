// Defines what the gateway's benchmarks ask: groups of programs of 700 tokens, the same on every run.
import type { VerifyGroup, VerifyRequestInput } from "../../src/core/wire/verify-protocol.ts";

/** The model's name at the mock engines. */
export const MODEL = "bench";

/** A program of some 700 tokens, another one for each number. */
const program = (n: number) =>
  `def solve_${n}(values):\n${"    total = (total + value * 31) % 1000003  # step\n".repeat(56)}    return total + ${n}\n`;

/** A group whose pairs are each compared once, `samples` times. */
export function groupOf(id: string, candidates: number, samples: number): VerifyGroup {
  const comparisons: VerifyGroup["comparisons"] = [];
  for (let i = 0; i < candidates; i++) {
    for (let j = i + 1; j < candidates; j++) {
      comparisons.push({ id: comparisons.length, order: [i, j], samples, first_sample: 0, stop: "all" });
    }
  }
  const texts = Array.from({ length: candidates }, (_, i) => program(i));
  return {
    group_id: id,
    question: "Print the total.\n".repeat(40),
    language: "python",
    candidates: texts,
    comparisons,
  };
}

export const SAMPLING = { temperature: 0.6, top_p: 0.95, max_tokens: 16_384 };

/** The request for one group. */
export const requestOf = (group: VerifyGroup): string => {
  const request = { deadline_ms: 120_000, groups: [group], prompt: "code-select", sampling: SAMPLING };
  return JSON.stringify(request satisfies VerifyRequestInput);
};
