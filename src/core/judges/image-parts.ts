// Inserts images into a judge's prompt: each image becomes a content part after the text block that names it.
// Must not depend on engine protocols.
import { LIMITS } from "../faults/limits.ts";
import type { ChatMessage } from "./prompt-job.ts";

/** A content part of a chat message, in OpenAI's format. */
type ContentPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

/** A chat message in the form that is sent to the engine. */
export interface SentMessage {
  role: string;
  content: string | ContentPart[];
}

/** Images as data URLs, keyed by digest. */
export type ShownImages = Readonly<Record<string, string>>;

/**
 * Number of hex digits of the digest in an image block. Image blocks that a policy writes are escaped (see
 * ../candidate/transcript).
 */
const DIGEST_CHARS = 32;
const NAMED = /\[IMAGE_[P\d.]+ ([0-9a-f]{32})\]/g;

/** The text block that precedes an image and names it. */
export const imageHead = (number: string, digest: string): string =>
  `[IMAGE_${number} ${digest.slice(0, DIGEST_CHARS)}]`;

/**
 * Maximum number of images in a question about this many candidates: `images_max` for each candidate and for
 * the prompt.
 */
export const imagesMost = (candidates: number): number => (candidates + 1) * LIMITS.images_max;

/** Number of image blocks in a string. */
export const imagesNamed = (text: string): number => text.match(NAMED)?.length ?? 0;

/** Returns the images that at least one of the strings names, or null if there are none. */
export function namedImages(images: ShownImages, texts: readonly string[]): ShownImages | null {
  const named = new Set(texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, digest]) => digest)));
  const used = Object.entries(images).filter(([digest]) => named.has(digest.slice(0, DIGEST_CHARS)));
  return used.length === 0 ? null : Object.fromEntries(used);
}

/**
 * Numbers the images that a string names, for models that receive images separately: each block that names an
 * image also states its number.
 * @returns the string, and the distinct images in the order of their numbers, from 1
 */
export function withImageNumbers(text: string, images: ShownImages): { text: string; urls: readonly string[] } {
  const byDigest = new Map(Object.entries(images).map(([digest, url]) => [digest.slice(0, DIGEST_CHARS), url]));
  const numbers = new Map<string, number>();
  const numbered = text.replace(NAMED, (block, digest: string) => {
    const url = byDigest.get(digest);
    if (url === undefined) return block;
    const number = numbers.get(url) ?? numbers.size + 1;
    numbers.set(url, number);
    return `${block.slice(0, -1)}: attached image ${number}]`;
  });
  return { text: numbered, urls: [...numbers.keys()] };
}

/**
 * Inserts each image after the block that names it.
 * @param maxImages maximum number of images in all messages together, because text that did not come from a
 * view may name an image any number of times
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
