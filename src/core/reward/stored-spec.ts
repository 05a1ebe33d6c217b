// Reads a stored spec in its canonical form.
import { type AnySpec, compileSpec } from "./compiled-spec.ts";
import { AnySpecSchema } from "./signals-spec.ts";

/**
 * Returns the stored spec with the defaults of fields that were added since; null if it can no longer be
 * used. A canonical form may contain more than a request may (a `grade` with its complete judge), so a
 * spec that the schema rejects is returned unchanged if it compiles.
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
