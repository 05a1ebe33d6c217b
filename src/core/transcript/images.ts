// Images in the parts of a chat.
import { isRecord } from "./kinds.ts";

const IMAGE_TYPES = new Set(["image_url", "input_image"]);

const LIFTED = /^sha256:([0-9a-f]{64})$/;

/** The URL of an image part in OpenAI's chat or Responses format; null for other parts. */
export function imageAddress(part: unknown): string | null {
  if (!isRecord(part) || typeof part.type !== "string" || !IMAGE_TYPES.has(part.type)) return null;
  const held = isRecord(part.image_url) ? part.image_url.url : part.image_url;
  return typeof held === "string" ? held : null;
}

/** The digest of an extracted image; null for other parts. */
export const liftedImage = (part: unknown): string | null => LIFTED.exec(imageAddress(part) ?? "")?.[1] ?? null;

/** The placeholder part that stands for an extracted image. */
export const imagePart = (digest: string) => ({ type: "image_url" as const, image_url: { url: `sha256:${digest}` } });
