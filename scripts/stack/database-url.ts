// Turns a DATABASE_URL into the variables with which the Worker reaches that database.
import type { SqlBackend } from "./sql-backend.ts";
import { startSqlEndpoint } from "./sql-endpoint.ts";

const NEON_HOST = /\.neon\.(?:tech|build)$/;

/**
 * Whether the database is Neon's, which is reached by HTTP.
 * @throws Error if the text is not a Postgres URL
 */
export function isNeon(databaseUrl: string): boolean {
  if (!/^postgres(?:ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    throw new Error("DATABASE_URL must be a postgres:// URL");
  }
  return NEON_HOST.test(new URL(databaseUrl).hostname);
}

export interface DatabasePart {
  /** Description for people, without user, password or host. */
  name: string;
  vars: Record<string, string>;
  close(): Promise<void>;
}

/** Uses Neon directly, and any other Postgres through a loopback endpoint. Applies no migrations. */
export async function databaseAt(databaseUrl: string): Promise<DatabasePart> {
  if (isNeon(databaseUrl)) return { name: "Neon", vars: { DATABASE_URL: databaseUrl }, close: async () => {} };
  const { createPostgres } = await import("./postgres.ts");
  return fronted("Postgres at DATABASE_URL", createPostgres(databaseUrl));
}

/** The backend behind a loopback endpoint that speaks Neon's protocol; `close` ends both. */
export async function fronted(name: string, backend: SqlBackend): Promise<DatabasePart> {
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  return {
    name,
    vars: { DATABASE_URL: "postgres://local:local@127.0.0.1/local", DATABASE_FETCH_ENDPOINT: endpoint.url },
    async close() {
      await endpoint.close();
      await backend.close();
    },
  };
}
