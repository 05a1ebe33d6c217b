// How an answer about a solution's steps is held against how many there are.
import { NOTHING, type ReadPart } from "./readings.ts";

/** A judge's answer is the index of a step, or -1 for none; another number is no verdict. */
export function ofSteps(part: ReadPart, steps: number): ReadPart {
  const { verdict } = part;
  if (verdict === null) return part;
  const index = verdict.kind === "grade" ? verdict.grade : Number.NaN;
  return Number.isInteger(index) && index >= -1 && index < steps ? part : { ...NOTHING, status: "bad_content" };
}
