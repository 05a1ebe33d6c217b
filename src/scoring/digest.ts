// Computes the hash of a spec, as used in replies and logs.

import { promptField } from "../core/contract/judge-settings.ts";
import { ApiError } from "../core/faults/errors.ts";
import { requireShape } from "../core/judges/preset-fits.ts";
import { isTemplateKey } from "../core/judges/presets/own.ts";
import { promptHash } from "../core/judges/render.ts";
import type { Spec } from "../core/reward/spec.ts";
import { fieldOf, formOf } from "../core/reward/spec-forms.ts";
import { judgesIn, type WordedJudge } from "../core/reward/spec-judges.ts";
import { sha256Hex } from "../platform/sha256.ts";

/** Computes `spec_hash` as used in replies and logs. Throws ApiError `unknown_prompt`. */
export async function specHash(spec: Spec): Promise<string> {
  return `sha256:${await sha256Hex(fingerprint(spec))}`;
}

/**
 * Throws ApiError `invalid_request` for settings that contradict the judge's template. This is checked only
 * here because templates are resolved after the request has been validated.
 */
function requireSettings(spec: Spec, { judge, signal }: WordedJudge): void {
  if (signal === null || !isTemplateKey(judge.prompt)) return;
  const fault = signal.kind.fault?.(signal.settings) ?? null;
  if (fault === null) return;
  const field = `spec.${fieldOf(spec, signal.name, fault.path)}`;
  throw new ApiError("invalid_request", `${field}: ${fault.message}.`, {
    errors: [{ path: field, message: fault.message }],
  });
}

function fingerprint(spec: Spec): string {
  const hashes = judgesIn(spec).flatMap((worded) => {
    const { path, judge, signal } = worded;
    const hash = promptHash(judge.prompt, `spec.${path}.${promptField(judge)}`);
    requireShape(judge, `spec.${path}`, signal?.kind.kind ?? "tournament");
    requireSettings(spec, worded);
    // An audit affects no reward, so its prompt is checked but is not part of the hash.
    return signal === null ? [] : [[judge.prompt, hash] as const];
  });
  return formOf(spec).fingerprint(spec, Object.fromEntries(hashes));
}
