// How the answer of a scalar model is read: the number itself, of a process reward model those of
// its steps.
import type { Answer, ReadPart } from "./readings.ts";
import { NOTHING } from "./readings.ts";

/** The answer's text is a finite number as JSON writes it: a grade without a scale. */
export function readScalar({ answer, error }: Answer): ReadPart {
  if (answer === null) return { ...NOTHING, status: null, code: error ?? "verifier_bad_reply" };
  const grade = answer.trim() === "" ? Number.NaN : Number(answer);
  if (!Number.isFinite(grade)) return { ...NOTHING, status: null, code: "verifier_bad_reply" };
  return { ...NOTHING, verdict: { kind: "grade", grade }, status: "ok" };
}

/** The answer's text is a list of numbers in JSON, one a step. */
export function readStepScores({ answer, error }: Answer): ReadPart {
  const scores = answer === null ? null : listIn(answer);
  if (scores === null) return { ...NOTHING, status: null, code: error ?? "verifier_bad_reply" };
  return { ...NOTHING, verdict: { kind: "steps", scores }, status: "ok" };
}

function listIn(text: string): number[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(Number.isFinite) ? list : null;
  } catch {
    return null;
  }
}
