// How a question and a candidate become the one text that a scalar model reads. Knows no API.
import type { Escape } from "../judges/escape.ts";
import type { ScalarText } from "./scalar-apis.ts";

const QUESTION = "{{question}}";
const CANDIDATE = "{{candidate}}";

/** Conversations as families of models write them; the server's tokenizer adds what begins a text. */
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

/** Makes texts by a template; model text can neither close its place nor pose as a token. */
export function scalarTexts(template: string, escapeWith: Escape) {
  const [before = "", rest = ""] = (NAMED[template] ?? template).split(QUESTION);
  const [between = "", after = ""] = rest.split(CANDIDATE);
  return (question: string, candidate: string): ScalarText => ({
    head: before + escapeWith(question).toWellFormed() + between,
    tail: escapeWith(candidate).toWellFormed() + after,
  });
}
