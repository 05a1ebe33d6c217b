// Owns what a run of a program on a standard input says of a test. Knows no service.
import type { RunStatus } from "../judges/test-runs.ts";
import { failureOf } from "./examination.ts";
import type { Ran } from "./sandbox-apis.ts";

/** Without blanks at a line's end, and without empty lines at the end. */
const linesOf = (output: string): string =>
  output
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();

/** Whether it wrote what it must; null where the service failed. */
export function statusOf(ran: Ran, expected: string): RunStatus | "unknown" | null {
  if (ran.end === "infra") return null;
  if (ran.end !== "exit" || ran.exit_code !== 0) return failureOf(ran, "").status;
  return linesOf(ran.stdout) === linesOf(expected) ? "pass" : "fail";
}
