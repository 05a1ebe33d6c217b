// Computes the hash of a spec, as used in replies and logs.

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
} from "../core/reward/compiled-spec.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** Computes `spec_hash` as used in replies and logs. Throws ApiError `unknown_prompt`. */
export async function specHash(spec: AnySpec): Promise<string> {
  return `sha256:${await sha256Hex(fingerprint(spec))}`;
}

/** The kind of the signal whose judge is at the given path. */
function kindAt(spec: AnySpec, path: string): string {
  if (!hasSignals(spec) || path === AUDIT_JUDGE) return "tournament";
  const [, name = ""] = path.split(".");
  return spec.signals[name]?.kind ?? "";
}

/**
 * Throws ApiError `invalid_request` for settings that contradict the judge's template. This is checked only
 * here because templates are resolved after the request has been validated.
 */
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
    // An audit affects no reward, so its prompt is checked but is not part of the hash.
    return path === AUDIT_JUDGE ? [] : [[judge.prompt, hash] as const];
  });
  if (hasSignals(spec)) return signalsFingerprint(spec, Object.fromEntries(hashes));
  return specFingerprint(spec, hashes.map(([, hash]) => hash).join());
}
