// Owns the local stack's database: embedded PGlite, a plain Postgres, or Neon itself, as the
// variables that the Worker reads. Knows no schema.
import { isNeon } from "./database-url.ts";
import { migrate } from "./migrations.ts";
import { createPglite } from "./pglite.ts";
import { createPostgres } from "./postgres.ts";
import { startSqlEndpoint } from "./sql-endpoint.ts";

export interface DatabasePart {
  /** For people: which database it is, without user, password or host. */
  name: string;
  vars: Record<string, string>;
  close(): Promise<void>;
}

/**
 * No URL: PGlite in `dataDir`, brought up to the newest migration. A Neon URL is used directly, any
 * other `postgres://` URL is fronted by the same loopback endpoint as PGlite; both must have been
 * migrated (`npm run migrate`).
 */
export async function startDatabase(dataDir: string, databaseUrl: string | undefined): Promise<DatabasePart> {
  if (databaseUrl && isNeon(databaseUrl)) {
    return { name: "Neon", vars: { DATABASE_URL: databaseUrl }, close: async () => {} };
  }
  const backend = databaseUrl ? createPostgres(databaseUrl) : await createPglite(dataDir);
  try {
    if (!databaseUrl) await migrate(backend);
    const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
    return {
      name: databaseUrl ? "Postgres at DATABASE_URL" : "embedded Postgres (PGlite)",
      vars: { DATABASE_URL: "postgres://local:local@127.0.0.1/local", DATABASE_FETCH_ENDPOINT: endpoint.url },
      async close() {
        await endpoint.close();
        await backend.close();
      },
    };
  } catch (error) {
    await backend.close();
    throw error;
  }
}
