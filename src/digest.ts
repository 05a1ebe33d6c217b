// Owns SHA-256 of texts, as hex, and of specs. Uses WebCrypto, which Workers and Node share.
import { promptHash } from "./core/prompt.ts";
import { type Spec, specFingerprint } from "./core/spec.ts";

const encoder = new TextEncoder();

/** SHA-256 of the text's UTF-8, 64 hex digits. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** `spec_hash` as it stands in replies and logs. Throws ApiError `unknown_prompt`. */
export async function specHash(spec: Spec): Promise<string> {
  return `sha256:${await sha256Hex(specFingerprint(spec, promptHash(spec.judge.prompt)))}`;
}
