// Finds the sample tests in a problem statement, by combining several finders.

import { inputOutputPairs } from "./samples-blocks.ts";
import { callExamples, findSignature, leetcodeCall } from "./samples-calls.ts";
import type { TestCase } from "./test-cases.ts";

/** Maximum number of tests per statement. */
export const SAMPLES_MAX = 24;

/**
 * The sample tests of a problem statement, in order and without duplicates: input/output pairs in common
 * layouts, calls with their values, asserts, and interpreter sessions. Empty if no test is certain.
 */
export function findSamples(statement: string): TestCase[] {
  const text = statement.replace(/\r\n?/g, "\n");
  const signature = findSignature(text);
  const tests: TestCase[] = callExamples(text, signature);
  for (const { input, output } of inputOutputPairs(text)) {
    const call = leetcodeCall(input, output, signature);
    if (call === "not-stdin") continue;
    tests.push(call ?? { kind: "stdio", input: input === "" ? "" : `${input}\n`, output: `${output}\n` });
  }
  const seen = new Set<string>();
  return tests
    .filter((test) => {
      const key = JSON.stringify(test);
      return !seen.has(key) && seen.add(key);
    })
    .slice(0, SAMPLES_MAX);
}
