// Owns the part of a request's body that shows a question: `"messages":[…]`, or `"prompt":"…"`,
// written out of pieces that are escaped and written once a job. Shared by the edge's adapter and
// the gateway.
import { type Escape, escapeText } from "./escape/escape.ts";
import { imagesMost, type ShownImages, withImages } from "./image-parts.ts";
import { asItIs, type ChatMessage, inJson, type PromptJob, rawPrompt } from "./prompt-job.ts";
import { createRenderer, isCompletion, type PromptForm } from "./render.ts";

interface QuestionWriting {
  /** How model text is made harmless (createRenderer). */
  quote?: Escape | undefined;
  /** For tests. */
  renderer?: typeof createRenderer | undefined;
}

/**
 * @returns a function from an order (candidate indices, letter A first) to JSON text
 * @throws ApiError `unknown_prompt`
 */
export function createQuestionWriter(
  name: string,
  form: PromptForm,
  job: PromptJob & { images?: ShownImages | undefined },
  { quote = escapeText, renderer = createRenderer }: QuestionWriting = {},
): (order: readonly number[]) => string {
  const completion = isCompletion(name);
  // Images stand within a text, which is cut before it is written.
  const images = completion ? undefined : job.images;
  const render = renderer(name, form, job, quote, images === undefined ? inJson : asItIs);
  if (completion) return (order) => `"prompt":"${rawPrompt(render(order), inJson)}"`;
  if (images !== undefined) return (order) => imageQuestion(render(order), images, imagesMost(order.length));
  return (order) => {
    const messages = render(order).map(
      ({ role, content }) => `{"role":${JSON.stringify(role)},"content":"${content}"}`,
    );
    return `"messages":[${messages.join()}]`;
  };
}

/** JSON cannot carry half a surrogate pair to servers that insist on Unicode scalar values. */
function imageQuestion(messages: readonly ChatMessage[], images: ShownImages, most: number): string {
  const sendable = messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
  return `"messages":${JSON.stringify(withImages(sendable, images, most))}`;
}
