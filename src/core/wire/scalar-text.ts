// How a question and a candidate, or its steps, become the one text that a scalar model reads.
// Knows no API.
import { createEscape, escapeText, survivors } from "../judges/escape/escape.ts";
import { createGuard } from "../judges/escape/guard.ts";
import { marksOf } from "../judges/escape/marks.ts";
import type { ScalarText } from "./scalar-apis.ts";

const QUESTION = "{{question}}";
const CANDIDATE = "{{candidate}}";

/**
 * Conversations as families of models write them; the server's tokenizer adds what begins a text.
 */
const NAMED: Readonly<Record<string, string>> = {
  plain: `${QUESTION}\n\n${CANDIDATE}`,
  chatml: `<|im_start|>user\n${QUESTION}<|im_end|>\n<|im_start|>assistant\n${CANDIDATE}<|im_end|>\n`,
  llama3: `<|start_header_id|>user<|end_header_id|>\n\n${QUESTION}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n${CANDIDATE}<|eot_id|>`,
};

export const SCALAR_TEMPLATE_CHARS = 8_192;

const once = (text: string, part: string) => text.split(part).length === 2;

/** Whether it is a template's name, or a text that holds both slots once, the candidate last. */
export const isScalarTemplate = (template: string): boolean =>
  Object.hasOwn(NAMED, template) ||
  (once(template, QUESTION) && once(template, CANDIDATE) && template.indexOf(QUESTION) < template.indexOf(CANDIDATE));

/** Whether model text can be kept from holding it, as no escape breaks a single character. */
export const isStepTag = (tag: string): boolean => survivors(createEscape([tag]), [tag]).length === 0;

/**
 * Makes texts by a template; model text can neither close its place nor pose as a token. Behind
 * each step of a list stands `step_tag`, which no step holds, where the model is asked about it.
 */
export function scalarTexts(template: string, step_tag: string | null = null) {
  const escapeWith = step_tag === null ? escapeText : createEscape([step_tag]);
  const [before = "", rest = ""] = (NAMED[template] ?? template).split(QUESTION);
  const [between = "", after = ""] = rest.split(CANDIDATE);
  const guard = createGuard(marksOf({ messages: [[before, QUESTION, between, CANDIDATE, after]], candidate: [] }));
  const quoted = (text: string) => guard(escapeWith(text)).toWellFormed();
  return (question: string, candidate: string | readonly string[]): ScalarText => {
    const head = before + quoted(question) + between;
    if (typeof candidate === "string") return { head, tail: quoted(candidate) + after };
    const steps = candidate.map((step) => quoted(step) + (step_tag ?? ""));
    return { head, tail: steps.join("") + after, steps: steps.length };
  };
}
