// Owns how one test of a program becomes a run, and what the run says of the test. Knows no
// service.
import { ASSERTING, type RunCase, type RunStatus, type TestRuns } from "../judges/test-runs.ts";
import type { Ran, Run } from "./sandbox-apis.ts";

/** How a language writes a line. */
const PRINTS: Readonly<Record<(typeof ASSERTING)[number], (text: string) => string>> = {
  python: (text) => `print(${JSON.stringify(text)})`,
  javascript: (text) => `console.log(${JSON.stringify(text)})`,
};

/**
 * The run of one test.
 * @param marker what the code behind an assert writes: a program that ends before it, as by leaving
 *   with code 0, has not passed. No program can know it beforehand.
 */
export function runOf(program: string, one: RunCase, { language, timeout_ms }: TestRuns, marker: string): Run {
  const { assert, stdin = "" } = one;
  const told = ASSERTING.find((name) => name === language);
  const reached = told === undefined ? "" : PRINTS[told](marker);
  const code = assert === undefined ? program : `${program}\n\n${assert}\n\n${reached}\n`;
  return { code, language, stdin, timeout_ms };
}

/** Without blanks at a line's end, and without empty lines at the end. */
const linesOf = (output: string): string =>
  output
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();

/** What a run says of its test; null where the service failed. */
export function statusOf({ end, exit_code, stdout, stderr }: Ran, one: RunCase, marker: string): RunStatus | null {
  if (end === "infra") return null;
  if (end !== "exit") return end;
  if (exit_code !== 0) {
    if (stderr.includes("MemoryError")) return "memory";
    return one.assert !== undefined && stderr.includes("AssertionError") ? "fail" : "runtime";
  }
  if (one.assert !== undefined) return linesOf(stdout).endsWith(marker) ? "pass" : "fail";
  return linesOf(stdout) === linesOf(one.stdout ?? "") ? "pass" : "fail";
}
