// Stores named specs in Postgres.

import { eq, gt, sql } from "drizzle-orm";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { Spec } from "../core/reward/spec.ts";
import { asWritten } from "../core/reward/spec-forms.ts";
import { storedSpec } from "../core/reward/stored-spec.ts";
import type { SpecStore } from "../ports/ports.ts";
import { openDatabase, reading, type StoreConfig } from "./db/connection.ts";
import { namedSpecs } from "./db/schema.ts";

/** Byte order, independent of the database's collation. */
const BY_CHARACTER = sql`${namedSpecs.name} COLLATE "C"`;

/**
 * Named specs in Neon Postgres. All calls throw ApiError `store_unavailable` if the database fails. A spec
 * stored by an older version gets the defaults of new fields; a spec that the schema no longer accepts is
 * rejected with `unknown_spec`.
 */
export function createNeonSpecStore(config: StoreConfig): SpecStore {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return {
    async get(name) {
      const [row] = await reading(() => db.select().from(namedSpecs).where(eq(namedSpecs.name, name)));
      if (row === undefined) return null;
      const spec = storedSpec(row.spec);
      if (spec !== null) return spec;
      throw new ApiError("unknown_spec", "The spec stored under this name is no longer valid. Store it again.", {
        errors: [{ path: "spec", message: "names a stored spec that is no longer valid" }],
      });
    },
    async page(after, limit) {
      const behind = after === null ? undefined : gt(BY_CHARACTER, after);
      const rows = await reading(() =>
        db
          .select()
          .from(namedSpecs)
          .where(behind)
          .orderBy(BY_CHARACTER)
          .limit(limit + 1),
      );
      const page = rows
        .slice(0, limit)
        .map(({ name, spec, updated_at }) => ({ name, spec: storedSpec(spec), updated_at }));
      return { rows: page, more: rows.length > limit };
    },
    async names(limit) {
      const rows = await reading(() =>
        db.select({ name: namedSpecs.name }).from(namedSpecs).orderBy(namedSpecs.name).limit(limit),
      );
      return rows.map(({ name }) => name);
    },
    async save(name: string, spec: Spec) {
      const row = { spec: asWritten(spec), updated_at: config.clock.date() };
      await reading(() =>
        db
          .insert(namedSpecs)
          .values({ name, ...row })
          .onConflictDoUpdate({ target: namedSpecs.name, set: row }),
      );
    },
  };
}
