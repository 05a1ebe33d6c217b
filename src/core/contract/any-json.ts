// Schema of a field that accepts any JSON value, up to a nesting depth that is safe for recursive functions.
import * as z from "zod";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

function nestsWithin(value: unknown, depth: number): boolean {
  if (value === null || typeof value !== "object") return true;
  return depth > 0 && Object.values(value).every((member) => nestsWithin(member, depth - 1));
}

const MESSAGE = `nests deeper than the limit label_depth_max = ${LIMITS.label_depth_max}${instead("label_depth_max")}`;

export const AnyJsonSchema = z.unknown().refine((value) => nestsWithin(value, LIMITS.label_depth_max), MESSAGE);
