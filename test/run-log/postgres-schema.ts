// A separate schema on a shared Postgres server, for one test file's run.
import { createPostgres } from "../../scripts/stack/postgres.ts";

/**
 * Makes a schema that no other run has; `url` sees only it; `drop` removes it with all its tables.
 */
export async function openSchema(databaseUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `kritai_${process.pid}_${crypto.randomUUID().slice(0, 8)}`;
  const admin = createPostgres(databaseUrl);
  await admin.query({ query: `CREATE SCHEMA ${name}`, params: [] });
  const url = new URL(databaseUrl);
  url.searchParams.set("options", `-c search_path=${name}`);
  return {
    url: url.href,
    async drop() {
      await admin.query({ query: `DROP SCHEMA ${name} CASCADE`, params: [] });
      await admin.close();
    },
  };
}
