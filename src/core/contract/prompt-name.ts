// How a spec names the words in which a judge is asked.
import * as z from "zod";
import { bound } from "../faults/limit-advice.ts";

export const promptName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");

/** Presets of decision models, whose answers are probabilities: they vote softly, whatever the spec says. */
const DECISIONS = ["decide-pair", "decide-best", "decide-grade"];
export const isDecision = (prompt: string): boolean => DECISIONS.includes(prompt);

/** A template's or a preset's name, or a deployment's own as JSON, as a resolved spec holds it. */
export const promptText = z
  .string()
  .max(...bound("template_chars"))
  .regex(/^(?:[a-z0-9][a-z0-9-]{0,63}|\{.+\})$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");
