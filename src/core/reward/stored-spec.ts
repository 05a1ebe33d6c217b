// Reads a spec that was stored in its canonical form.
import { type AnySpec, compileSpec } from "./compiled-spec.ts";
import { AnySpecSchema } from "./signals-spec.ts";

/**
 * The spec, with the defaults of fields that the schema has got since; null when it is no longer
 * one. A canonical form may say more than a request can (a `grade` has its judge whole), so what
 * the schema refuses is taken as it stands where it can be scored with.
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
