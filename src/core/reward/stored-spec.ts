// Reads a spec that was stored in canonical form.

import type { FlatSpec } from "../contract/spec.ts";
import { compileSpec } from "./compiled-spec.ts";
import { SpecSchema } from "./signals-spec.ts";
import type { Spec } from "./spec.ts";
import { ofFlat } from "./spec-forms.ts";

/**
 * Returns the stored spec, with defaults for fields that were added since; null if the spec can no longer be
 * used. A canonical form may contain more than a request may (for example, a `grade` with its complete judge
 * settings), so a spec that the schema rejects is returned unchanged if it compiles.
 */
export function storedSpec(stored: unknown): Spec | null {
  const read = SpecSchema.safeParse(stored);
  if (read.success) return read.data;
  try {
    const document = stored as FlatSpec | Omit<Spec, "form">;
    return compileSpec("signals" in document ? { ...document, form: "signals" } : ofFlat(document)).spec;
  } catch {
    return null;
  }
}
