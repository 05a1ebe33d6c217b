// Builds the text that a scalar model reads from a question, a candidate or its steps, and the reference
// answer if the template shows one.
import { createEscape, escapeText, survivors } from "../judges/escape/escape.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { marksOf } from "../judges/escape/marks.ts";
import type { ScalarText } from "./scalar-apis.ts";

const QUESTION = "{{question}}";
const CANDIDATE = "{{candidate}}";
const REFERENCE = "{{reference}}";
const SLOTS = /(\{\{(?:question|candidate|reference)\}\})/;

/** Conversation templates of model families. The server's tokenizer adds the begin-of-text token. */
const NAMED: Readonly<Record<string, string>> = {
  plain: `${QUESTION}\n\n${CANDIDATE}`,
  chatml: `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${CANDIDATE}<|im_end|>\n`,
  llama3: `<|start_header_id|>user<|end_header_id|>\n\n${QUESTION}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n${CANDIDATE}<|eot_id|>`,
  // The tokens that POLAR's client writes.
  polar: `${QUESTION}\n${REFERENCE}<|reward|>${QUESTION}\n${CANDIDATE}[UNUSED_TOKEN_130]`,
};

export const SCALAR_TEMPLATE_CHARS = 8_192;

/** Splits a template into literal text and slots, in order. */
const partsOf = (template: string): string[] => (NAMED[template] ?? template).split(SLOTS);

/**
 * Whether a string names a template or is one itself. A template needs a slot for the question, and exactly
 * one for the candidate, as its last slot.
 */
export function isScalarTemplate(template: string): boolean {
  const slots = partsOf(template).filter((part) => SLOTS.test(part));
  return slots.indexOf(CANDIDATE) === slots.length - 1 && slots.includes(QUESTION);
}

/** Whether a template shows the group's reference answer together with each candidate. */
export const showsReference = (template: string): boolean => partsOf(template).includes(REFERENCE);

/** Whether escaping can keep a tag out of model text. A single character cannot be escaped. */
export const isStepTag = (tag: string): boolean => survivors(createEscape([tag]), [tag]).length === 0;

/**
 * Creates a function that fills a template. Model text can neither close its slot nor imitate a token.
 * `step_tag` is appended to each step and marks the position where the model scores the step; no step can
 * contain the tag.
 */
export function scalarTexts(template: string, step_tag: string | null = null) {
  const escapeWith = step_tag === null ? escapeText : createEscape([step_tag]);
  const parts = partsOf(template);
  const [head, after = ""] = [parts.slice(0, -2), parts.at(-1)];
  const guard = createGuard(marksOf({ messages: [parts], candidate: [] }));
  const quoted = (text: string) => guard(escapeWith(text)).toWellFormed();
  return (question: string, candidate: string | readonly string[], reference = ""): ScalarText => {
    const slots: Record<string, string> = { [QUESTION]: quoted(question), [REFERENCE]: quoted(reference) };
    const written = head.map((part) => slots[part] ?? part).join("");
    if (typeof candidate === "string") return { head: written, tail: quoted(candidate) + after };
    const steps = candidate.map((step) => quoted(step) + (step_tag ?? ""));
    return { head: written, tail: steps.join("") + after, steps: steps.length };
  };
}
