// A deployment's own templates: presets that come as data, and their form inside a spec.

import * as z from "zod";
import { said } from "#said";
import { canonicalJson } from "../../contract/spec.ts";
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
  each: z.literal(true).optional().meta(said("one message a candidate")),
});

/**
 * A template as `PUT /v1/templates/:name` takes it; what it must say besides: template-faults.ts.
 */
export const TemplateSchema = z.strictObject({
  shape: z.enum(["point", "pair", "list", "reference", "rubric", "steps"]),
  messages: someOf(MessageSchema, "template_messages_max"),
  candidate: text.meta(said("how one candidate is written: {{text}} or {{json}} between delimiters")),
  between: anyText("slot_chars").optional().meta(said("what stands between two candidates; default an empty line")),
  parser: ParserSchema,
  ties: LabelListSchema.optional().meta(said("labels that say that neither is better")),
  passing: LabelListSchema.optional().meta(said("of one candidate: labels that count 1")),
  invalid: LabelListSchema.optional().meta(said("labels that say that there is no answer that could be wrong")),
  turns: z
    .literal(true)
    .optional()
    .meta(said('answers name the turn of each run that decides: `"turn": 3`, of several `"turn A": 3`')),
  summary: z
    .literal(true)
    .optional()
    .meta(said("of steps: a model first says in steps what the text does, and those are shown")),
  style: z
    .enum(["completion", "roles"])
    .optional()
    .meta(said("completion: one raw text for /completions; roles: special chat roles. Default: chat")),
});

export const TemplateNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must match [a-z0-9][a-z0-9-]{0,63} (limit name_chars)");

/** A deployment's own preset, under the name that it was stored by. */
export interface OwnPreset extends Preset {
  name: string;
}

const KeySchema = TemplateSchema.extend({ name: TemplateNameSchema });

/**
 * A template inside a spec: all of it as canonical JSON, which a preset's name never looks like. So
 * a spec's hash covers it, and a run keeps what asked, whatever is stored under the name later.
 */
export const templateKey = (template: OwnPreset): string => canonicalJson(template);

export const isTemplateKey = (prompt: string): boolean => prompt.startsWith("{");

/** Read keys; a spec's judge is looked up for every answer. */
const known = new Map<string, OwnPreset | null>();
const KNOWN_MAX = 32;

/** The template of a key; null for a text that is none. */
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

/** A prompt's name for people, also where the spec holds the template itself. */
export const promptTitle = (prompt: string): string =>
  isTemplateKey(prompt) ? (templateOfKey(prompt)?.name ?? "the template") : prompt;
