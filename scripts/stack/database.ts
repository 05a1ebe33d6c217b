// The local stack's database: the one at DATABASE_URL, or an embedded PGlite.
import { type DatabasePart, databaseAt, fronted } from "./database-url.ts";
import { migrate } from "./migrations.ts";
import { createPglite } from "./pglite.ts";

export type { DatabasePart } from "./database-url.ts";

/**
 * Without a URL: PGlite in `dataDir`, with all migrations applied. A database at a URL must already be
 * migrated (`npm run migrate`).
 */
export async function startDatabase(dataDir: string, databaseUrl: string | undefined): Promise<DatabasePart> {
  if (databaseUrl) return databaseAt(databaseUrl);
  const backend = await createPglite(dataDir);
  try {
    await migrate(backend);
    return await fronted("embedded Postgres (PGlite)", backend);
  } catch (error) {
    await backend.close();
    throw error;
  }
}
