// How what came of running a program on one test is read: the status itself.
import { type Answer, NOTHING, type ReadPart } from "./readings.ts";
import { RUN_STATUSES } from "./test-runs.ts";

/** The answer's text is one of the statuses. */
export function readRun({ answer, error }: Answer): ReadPart {
  const label = RUN_STATUSES.find((status) => status === answer);
  if (label === undefined) return { ...NOTHING, status: null, code: error ?? "sandbox_failed" };
  return { ...NOTHING, verdict: { kind: "label", label }, status: "ok" };
}
