// Reads answers that are not prose: the number or per-step numbers from a scalar model, the status of a
// program run, and the index of a step.

import { RUN_STATUSES } from "../judges/test-runs.ts";
import { NOTHING, type ReadableGeneration, type ReadPart } from "./readings.ts";

/** Reads a finite number in JSON notation, which is a grade without a fixed scale. */
export function readScalar({ answer, error }: ReadableGeneration): ReadPart {
  if (answer === null) return { ...NOTHING, status: null, code: error ?? "verifier_bad_reply" };
  const grade = answer.trim() === "" ? Number.NaN : Number(answer);
  if (!Number.isFinite(grade)) return { ...NOTHING, status: null, code: "verifier_bad_reply" };
  return { ...NOTHING, verdict: { kind: "grade", grade }, status: "ok" };
}

/** Reads a JSON list of numbers, one per step. */
export const readStepScores = (generation: ReadableGeneration): ReadPart => ofList(generation, Number.isFinite);

/** Reads a JSON list of numbers, one per step; null marks a step that cannot be judged. */
export const readCheckedSteps = (generation: ReadableGeneration): ReadPart =>
  ofList(generation, (score) => score === null || Number.isFinite(score));

function ofList({ answer, error }: ReadableGeneration, isScore: (score: unknown) => boolean): ReadPart {
  const scores = answer === null ? null : listIn(answer, isScore);
  if (scores === null) return { ...NOTHING, status: null, code: error ?? "verifier_bad_reply" };
  return { ...NOTHING, verdict: { kind: "steps", scores }, status: "ok" };
}

function listIn(text: string, isScore: (score: unknown) => boolean): (number | null)[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isScore) ? list : null;
  } catch {
    return null;
  }
}

/** Reads one of the run statuses. */
export function readRun({ answer, error }: ReadableGeneration): ReadPart {
  const label = RUN_STATUSES.find((status) => status === answer);
  if (label === undefined) return { ...NOTHING, status: null, code: error ?? "sandbox_failed" };
  return { ...NOTHING, verdict: { kind: "label", label }, status: "ok" };
}

/**
 * One score per step: 1 before the first wrong step, 0 from the wrong step on. `wrong` is -1 if no step is
 * wrong.
 */
export const countedFrom = (wrong: number, steps: number): number[] =>
  Array.from({ length: steps }, (_, i) => (wrong < 0 || i < wrong ? 1 : 0));

/**
 * Checks that the index in a judge's answer is a valid step, or -1 for none. Any other number is unreadable.
 */
export function ofSteps(part: ReadPart, steps: number): ReadPart {
  const { verdict } = part;
  if (verdict === null) return part;
  const index = verdict.kind === "grade" ? verdict.grade : Number.NaN;
  return Number.isInteger(index) && index >= -1 && index < steps ? part : { ...NOTHING, status: "bad_content" };
}
