// The place of an image in a judge's prompt: behind the block that names it, as a separate part. Must not
// know protocols.
import { LIMITS } from "../faults/limits.ts";
import type { ChatMessage } from "./prompt-job.ts";

/** A content part as OpenAI's chat has it. */
type ContentPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** A message as it is sent. */
export interface SentMessage {
  role: string;
  content: string | ContentPart[];
}

/** By digest, as data URLs. */
export type ShownImages = Readonly<Record<string, string>>;

/**
 * The text holds this many digits of the digest: what a policy writes is broken (../candidate/transcript).
 */
const DIGEST_CHARS = 32;
const NAMED = /\[IMAGE_[P\d.]+ ([0-9a-f]{32})\]/g;

/** The block that an image follows. */
export const imageHead = (number: string, digest: string): string =>
  `[IMAGE_${number} ${digest.slice(0, DIGEST_CHARS)}]`;

/** Most images of a question over this many candidates: of each, and of its prompt. */
export const imagesMost = (candidates: number): number => (candidates + 1) * LIMITS.images_max;

/** How many images a text names. */
export const imagesNamed = (text: string): number => text.match(NAMED)?.length ?? 0;

/** Those of the images that any of the texts names; null where none does. */
export function namedImages(images: ShownImages, texts: readonly string[]): ShownImages | null {
  const named = new Set(texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, digest]) => digest)));
  const used = Object.entries(images).filter(([digest]) => named.has(digest.slice(0, DIGEST_CHARS)));
  return used.length === 0 ? null : Object.fromEntries(used);
}

/**
 * Messages with each image behind its block.
 * @param maxImages images in all of them: a text that no view has written may name one however often
 */
export function withImages(messages: readonly ChatMessage[], images: ShownImages, maxImages: number): SentMessage[] {
  const urls = new Map(Object.entries(images).map(([digest, url]) => [digest.slice(0, DIGEST_CHARS), url]));
  let left = maxImages;
  return messages.map(({ role, content }) => {
    const parts: ContentPart[] = [];
    let from = 0;
    for (const named of content.matchAll(NAMED)) {
      const url = urls.get(named[1] as string);
      if (url === undefined || left === 0) continue;
      left--;
      const end = named.index + named[0].length;
      parts.push({ type: "text", text: content.slice(from, end) }, { type: "image_url", image_url: { url } });
      from = end;
    }
    if (parts.length === 0) return { role, content };
    if (from < content.length) parts.push({ type: "text", text: content.slice(from) });
    return { role, content: parts };
  });
}
