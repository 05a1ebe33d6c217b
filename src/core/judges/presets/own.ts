// Templates that a deployment stores: presets given as data, and their encoding inside a spec.

import * as z from "zod";
import { said } from "#said";
import { canonicalJson } from "../../contract/canonical-json.ts";
import { anyText, someOf, someText } from "../../faults/bounded.ts";
import { bound } from "../../faults/limit-advice.ts";
import { LIMITS } from "../../faults/limits.ts";
import { ParserSchema } from "../parsers/table.ts";
import type { Preset } from "./preset.ts";
import { templateFaults } from "./template-faults.ts";

const text = someText("template_text_chars");
const LabelListSchema = z.array(anyText("label_chars")).max(...bound("labels_max"));

const MessageSchema = z.strictObject({
  role: z.string().regex(/^[a-z][a-z0-9_-]{0,31}(?:\{\{(?:n|letter)\}\})?$/, "must be a chat role, such as user"),
  text,
  each: z.literal(true).optional().meta(said("true: the message is repeated for each candidate")),
});

/** A template as `PUT /v1/templates/:name` accepts it. Further rules are in template-faults.ts. */
export const TemplateSchema = z.strictObject({
  shape: z.enum(["point", "pair", "list", "reference", "rubric", "steps"]),
  messages: someOf(MessageSchema, "template_messages_max"),
  candidate: text.meta(said("text of one candidate in a question: {{text}} or {{json}} between delimiters")),
  between: anyText("slot_chars").optional().meta(said("text between two candidates; default: an empty line")),
  parser: ParserSchema,
  ties: LabelListSchema.optional().meta(said("labels that mean a tie")),
  passing: LabelListSchema.optional().meta(
    said("for a single candidate: labels that count as 1; all others count as 0"),
  ),
  invalid: LabelListSchema.optional().meta(
    said("labels that mean that the candidate is not an answer: cut off, refused or empty"),
  ),
  turns: z
    .literal(true)
    .optional()
    .meta(said('true: answers name the decisive turn of each run: `"turn": 3`, or `"turn A": 3` for several runs')),
  summary: z
    .literal(true)
    .optional()
    .meta(said("for shape steps: the verifier first summarizes the text as steps, and is then shown these steps")),
  style: z
    .enum(["completion", "roles"])
    .optional()
    .meta(
      said("completion: one prompt for /completions; roles: a model with special chat roles. Default: chat messages"),
    ),
});

export const TemplateNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");

/** A deployment's preset, with the name under which it is stored. */
export interface OwnPreset extends Preset {
  name: string;
}

const KeySchema = TemplateSchema.extend({ name: TemplateNameSchema });

/**
 * Encodes a whole template for a spec, as canonical JSON, which cannot be confused with a preset's name. The
 * hash of the spec therefore covers the template, and a run keeps its template even if the stored one
 * changes.
 */
export const templateKey = (template: OwnPreset): string => canonicalJson(template);

export const isTemplateKey = (prompt: string): boolean => prompt.startsWith("{");

/** Cache of parsed keys, because the preset of a spec is looked up for every answer. */
const known = new Map<string, OwnPreset | null>();
const KNOWN_MAX = 32;

/** Parses the template in a key; returns null if the key is not a valid template. */
export function templateOfKey(key: string): OwnPreset | null {
  const found = known.get(key);
  if (found !== undefined) return found;
  const read = readKey(key);
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(key, read);
  return read;
}

function readKey(key: string): OwnPreset | null {
  if (key.length > LIMITS.template_chars) return null;
  try {
    const { success, data } = KeySchema.safeParse(JSON.parse(key));
    return success && templateFaults(data as OwnPreset).length === 0 ? (data as OwnPreset) : null;
  } catch {
    return null;
  }
}

/** Display name of a prompt, including prompts for which the spec contains the template itself. */
export const promptTitle = (prompt: string): string =>
  isTemplateKey(prompt) ? (templateOfKey(prompt)?.name ?? "the template") : prompt;
