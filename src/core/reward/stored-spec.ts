// Reads a spec that was stored in canonical form.
import { type AnySpec, compileSpec } from "./compiled-spec.ts";
import { AnySpecSchema } from "./signals-spec.ts";

/**
 * Returns the stored spec, with defaults for fields that were added since; null if the spec can no longer be
 * used. A canonical form may contain more than a request may (for example, a `grade` with its complete judge
 * settings), so a spec that the schema rejects is returned unchanged if it compiles.
 */
export function storedSpec(stored: unknown): AnySpec | null {
  const read = AnySpecSchema.safeParse(stored);
  if (read.success) return read.data;
  try {
    return compileSpec(stored as AnySpec).spec;
  } catch {
    return null;
  }
}
