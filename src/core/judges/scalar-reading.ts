// How the answer of a scalar model is read: the number itself.
import type { Answer, ReadPart } from "./readings.ts";
import { NOTHING } from "./readings.ts";

/** The answer's text is a finite number as JSON writes it: a grade without a scale. */
export function readScalar({ answer, error }: Answer): ReadPart {
  if (answer === null) return { ...NOTHING, status: null, code: error ?? "verifier_bad_reply" };
  const grade = answer.trim() === "" ? Number.NaN : Number(answer);
  if (!Number.isFinite(grade)) return { ...NOTHING, status: null, code: "verifier_bad_reply" };
  return { ...NOTHING, verdict: { kind: "grade", grade }, status: "ok" };
}
