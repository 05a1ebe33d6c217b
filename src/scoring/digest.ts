// Owns SHA-256 of texts, as hex, and of specs. Uses WebCrypto, which Workers and Node share.

import { promptField, specFingerprint } from "../core/contract/spec.ts";
import { ApiError } from "../core/faults/errors.ts";
import { requireShape } from "../core/judges/preset-fits.ts";
import { isTemplateKey } from "../core/judges/presets/own.ts";
import { promptHash } from "../core/judges/render.ts";
import {
  type AnySpec,
  AUDIT_JUDGE,
  hasSignals,
  judgesIn,
  kindNamed,
  type SpecSignal,
  signalsFingerprint,
} from "../core/signals/compiled-spec.ts";

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

/** The kind of the signal whose judge stands at a path. */
function kindAt(spec: AnySpec, path: string): string {
  if (!hasSignals(spec) || path === AUDIT_JUDGE) return "tournament";
  const [, name = ""] = path.split(".");
  return spec.signals[name]?.kind ?? "";
}

/** What does not go with a template that only its resolved spec holds. Throws `invalid_request`. */
function requireSettings(spec: AnySpec, judge: string, path: string): void {
  if (!hasSignals(spec) || path === AUDIT_JUDGE || !isTemplateKey(judge)) return;
  const [, name = ""] = path.split(".");
  const { kind, when: _, skip_value: __, ...settings } = spec.signals[name] as SpecSignal;
  const fault = kindNamed(kind).fault?.(settings) ?? null;
  if (fault === null) return;
  const field = ["spec", "signals", name, ...fault.path].join(".");
  throw new ApiError("invalid_request", `${field}: ${fault.message}.`, {
    errors: [{ path: field, message: fault.message }],
  });
}

function fingerprint(spec: AnySpec): string {
  const hashes = judgesIn(spec).flatMap(({ path, judge }) => {
    const hash = promptHash(judge.prompt, `spec.${path}.${promptField(judge)}`);
    requireShape(judge, `spec.${path}`, kindAt(spec, path));
    requireSettings(spec, judge.prompt, path);
    // An audit decides no reward: it is looked at, and no part of the hash.
    return path === AUDIT_JUDGE ? [] : [[judge.prompt, hash] as const];
  });
  if (hasSignals(spec)) return signalsFingerprint(spec, Object.fromEntries(hashes));
  return specFingerprint(spec, hashes[0]?.[1] as string);
}
