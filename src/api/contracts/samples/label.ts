// Owns what a contract's label may be: any JSON value that does not nest too deep to be told apart
// from others. Knows no contract.
import * as z from "zod";
import { instead } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";

function nestsWithin(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== "object") return true;
  return depth > 0 && Object.values(value).every((member) => nestsWithin(member, depth - 1));
}

const MESSAGE = `nests deeper than the limit label_depth_max = ${LIMITS.label_depth_max}${instead("label_depth_max")}`;

export const LabelSchema = z.unknown().refine((label) => nestsWithin(label, LIMITS.label_depth_max), MESSAGE);
