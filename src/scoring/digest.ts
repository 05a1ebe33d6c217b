// Owns SHA-256 of texts, as hex, and of specs. Uses WebCrypto, which Workers and Node share.

import { specFingerprint } from "../core/contract/spec.ts";
import { requireShape } from "../core/judges/preset-fits.ts";
import { promptHash } from "../core/judges/render.ts";
import { type AnySpec, hasSignals, judgesIn, signalsFingerprint } from "../core/signals/compiled-spec.ts";

const encoder = new TextEncoder();

/** SHA-256 of the text's UTF-8, 64 hex digits. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** `spec_hash` as it stands in replies and logs. Throws ApiError `unknown_prompt`. */
export async function specHash(spec: AnySpec): Promise<string> {
  return `sha256:${await sha256Hex(fingerprint(spec))}`;
}

/** Whether the judge at a path compares, or looks at one rollout at a time. */
function compares(spec: AnySpec, path: string): boolean {
  if (!hasSignals(spec)) return true;
  const [, name = ""] = path.split(".");
  return spec.signals[name]?.kind === "tournament";
}

function fingerprint(spec: AnySpec): string {
  for (const { path, judge } of judgesIn(spec)) requireShape(judge, `spec.${path}`, compares(spec, path));
  if (!hasSignals(spec)) return specFingerprint(spec, promptHash(spec.judge.prompt));
  const hashes = judgesIn(spec).map(({ path, judge: { prompt } }) => [
    prompt,
    promptHash(prompt, `spec.${path}.prompt`),
  ]);
  return signalsFingerprint(spec, Object.fromEntries(hashes));
}
