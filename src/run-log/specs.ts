// Owns the specs stored by name. Knows one table and the spec's schema.
import { eq } from "drizzle-orm";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { AnySpec } from "../core/signals/compiled-spec.ts";
import { AnySpecSchema } from "../core/signals/signals-spec.ts";
import type { SpecStore } from "../scoring/ports.ts";
import { openDatabase, reading, type StoreConfig } from "./db/connection.ts";
import { namedSpecs } from "./db/schema.ts";

/**
 * Named specs in Neon Postgres. All calls throw ApiError `store_unavailable` when the database
 * fails. A spec stored before the schema grew gets the new fields' defaults; one that the schema no
 * longer accepts is refused with `unknown_spec`.
 */
export function createNeonSpecStore(config: StoreConfig): SpecStore {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return {
    async get(name) {
      const [row] = await reading(() => db.select().from(namedSpecs).where(eq(namedSpecs.name, name)));
      if (row === undefined) return null;
      const spec = AnySpecSchema.safeParse(row.spec);
      if (spec.success) return spec.data;
      throw new ApiError("unknown_spec", "The spec stored under this name is no longer valid. Store it again.", {
        errors: [{ path: "spec", message: "the name of a stored spec that is no longer valid" }],
      });
    },
    async names(limit) {
      const rows = await reading(() =>
        db.select({ name: namedSpecs.name }).from(namedSpecs).orderBy(namedSpecs.name).limit(limit),
      );
      return rows.map(({ name }) => name);
    },
    async put(name: string, spec: AnySpec) {
      const row = { spec, updated_at: new Date() };
      await reading(() =>
        db
          .insert(namedSpecs)
          .values({ name, ...row })
          .onConflictDoUpdate({ target: namedSpecs.name, set: row }),
      );
    },
  };
}
