// Writes the part of a request body that contains a question: `"messages":[…]` or `"prompt":"…"`, from pieces
// that are escaped and encoded once per job. Shared by the edge's adapter and the gateway.
import { type Escape, escapeText } from "./escape/escape.ts";
import { imagesMost, type SentMessage, type ShownImages, withImages } from "./image-parts.ts";
import { asItIs, type ChatMessage, inJson, type PromptJob, rawPrompt, type Writing } from "./prompt-job.ts";
import { createRenderer, isCompletion, type PromptForm } from "./render.ts";

interface QuestionWriting {
  /** Escapes model text (see createRenderer). */
  quote?: Escape | undefined;
  /** Encodes texts for JSON; default: `inJson`. */
  write?: Writing | undefined;
  /** Tests can replace the renderer. */
  renderer?: typeof createRenderer | undefined;
}

type ShownJob = PromptJob & { images?: ShownImages | undefined };

/** A piece of JSON, or the URL of an image, which needs no escaping inside a JSON string. */
export type QuestionPart = string | { url: string };

/**
 * Creates a writer for the questions of one job.
 * @returns a function from an order (candidate indices, letter A first) to JSON
 * @throws ApiError `unknown_prompt`
 */
export function createQuestionWriter(
  name: string,
  form: PromptForm,
  job: ShownJob,
  writing: QuestionWriting = {},
): (order: readonly number[]) => string {
  const write = createPartsWriter(name, form, job, writing);
  return (order) => joined(write(order));
}

const joined = (parts: readonly QuestionPart[]): string =>
  parts.map((part) => (typeof part === "string" ? part : part.url)).join("");

/**
 * Like `createQuestionWriter`, but returns each image as a separate part, so that the sender does not copy
 * images.
 */
export function createPartsWriter(
  name: string,
  form: PromptForm,
  job: ShownJob,
  { quote = escapeText, renderer = createRenderer, write = inJson }: QuestionWriting = {},
): (order: readonly number[]) => QuestionPart[] {
  const completion = isCompletion(name);
  // Images are inside a message's text, so the text is split at each image before it is encoded.
  const images = completion ? undefined : job.images;
  const render = renderer(name, form, job, quote, images === undefined ? write : asItIs);
  if (completion) return (order) => [`"prompt":"${rawPrompt(render(order), inJson)}"`];
  if (images !== undefined) {
    const addresses: Addresses = new Map();
    return (order) => imageQuestion(withImages(sendable(render(order)), images, imagesMost(order.length)), addresses);
  }
  return (order) => {
    const messages = render(order).map(
      ({ role, content }) => `{"role":${JSON.stringify(role)},"content":"${content}"}`,
    );
    return [`"messages":[${messages.join()}]`];
  };
}

/** Shorter texts are encoded anew for each question, which costs less than a buffer for each. */
const SHARED_CHARS_MIN = 1_024;
/** Surrounds the index of a shared text. JSON contains this character only in escaped form. */
const SHARED = "\0";
const utf8 = new TextEncoder();

/**
 * Like `createQuestionWriter`, but writes bytes. Long texts and images are encoded once per job and shared by
 * all its questions, so that the memory of questions in flight does not grow with the texts that they show.
 */
export function createBytesWriter(
  name: string,
  form: PromptForm,
  job: ShownJob,
  quote?: Escape,
): (order: readonly number[]) => Uint8Array[] {
  const texts: Uint8Array[] = [];
  const urls = new Map<string, Uint8Array>();
  const write = createPartsWriter(name, form, job, {
    quote,
    write(text) {
      const json = inJson(text);
      if (json.length < SHARED_CHARS_MIN) return json;
      return `${SHARED}${texts.push(utf8.encode(json)) - 1}${SHARED}`;
    },
  });
  const imageOf = (url: string): Uint8Array => {
    const bytes = urls.get(url) ?? utf8.encode(url);
    urls.set(url, bytes);
    return bytes;
  };
  const bytesOf = (part: QuestionPart): Uint8Array[] =>
    typeof part === "string"
      ? part.split(SHARED).map((piece, i) => (i % 2 === 0 ? utf8.encode(piece) : (texts[Number(piece)] as Uint8Array)))
      : [imageOf(part.url)];
  return (order) => write(order).flatMap(bytesOf);
}

/** Cache of the JSON encoding of each image URL, filled once per job. */
type Addresses = Map<string, QuestionPart>;

function addressPart(url: string, addresses: Addresses): QuestionPart {
  const known = addresses.get(url);
  if (known !== undefined) return known;
  const escaped = JSON.stringify(url).slice(1, -1);
  const part = escaped === url ? { url } : escaped;
  addresses.set(url, part);
  return part;
}

/** Replaces lone surrogates, which servers that require Unicode scalar values reject. */
const sendable = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));

function imageQuestion(messages: readonly SentMessage[], addresses: Addresses): QuestionPart[] {
  const parts: QuestionPart[] = ['"messages":['];
  for (const [at, { role, content }] of messages.entries()) {
    parts.push(`${at === 0 ? "" : ","}{"role":${JSON.stringify(role)},"content":`);
    if (typeof content === "string") parts.push(JSON.stringify(content));
    else {
      for (const [place, part] of content.entries()) {
        parts.push(place === 0 ? "[" : ",");
        if (part.type === "text") parts.push(JSON.stringify(part));
        else parts.push('{"type":"image_url","image_url":{"url":"', addressPart(part.image_url.url, addresses), '"}}');
      }
      parts.push("]");
    }
    parts.push("}");
  }
  parts.push("]");
  return parts;
}
