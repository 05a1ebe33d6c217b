// Stores named templates in Postgres.
import { eq } from "drizzle-orm";
import { LIMITS } from "../core/faults/limits.ts";
import { templateKey, templateOfKey } from "../core/judges/presets/own.ts";
import type { TemplateStore } from "../ports/ports.ts";
import { openDatabase, reading, type StoreConfig } from "./db/connection.ts";
import { namedTemplates } from "./db/schema.ts";

/**
 * Named templates in Neon Postgres. All calls throw ApiError `store_unavailable` if the database fails. A
 * stored template that is no longer valid is treated as missing.
 */
export function createNeonTemplateStore(config: StoreConfig): TemplateStore {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return {
    async get(name) {
      const [row] = await reading(() => db.select().from(namedTemplates).where(eq(namedTemplates.name, name)));
      return row === undefined ? null : templateOfKey(templateKey({ ...(row.template as object), name } as never));
    },
    async save({ name, ...template }) {
      const row = { template, updated_at: config.clock.date() };
      await reading(() =>
        db
          .insert(namedTemplates)
          .values({ name, ...row })
          .onConflictDoUpdate({ target: namedTemplates.name, set: row }),
      );
    },
    async names(limit) {
      const rows = await reading(() =>
        db.select({ name: namedTemplates.name }).from(namedTemplates).orderBy(namedTemplates.name).limit(limit),
      );
      return rows.map(({ name }) => name);
    },
  };
}
