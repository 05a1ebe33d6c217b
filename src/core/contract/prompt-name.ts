// The names by which a spec refers to a judge's prompt: a preset, a template, or a custom template as JSON.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";

export const promptName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");

/**
 * Presets for decision models. These models answer with probabilities, so votes are always soft, regardless
 * of the spec.
 */
const DECISIONS = ["decide-pair", "decide-best", "decide-grade"];
export const isDecision = (prompt: string): boolean => DECISIONS.includes(prompt);

/**
 * The prompt of a resolved spec: the name of a template or preset, or the deployment's custom template as
 * JSON.
 */
export const promptText = z
  .string()
  .max(...bound("template_chars"))
  .regex(/^(?:[a-z0-9][a-z0-9-]{0,63}|\{.+\})$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");
