// `DATABASE_URL=postgres://… node scripts/stack/commands/migrate.ts`: applies the pending migrations to that
// database. Prints their names, never the URL.
import { commandFlags } from "../../command-line/flags.ts";
import { migrate } from "../migrations.ts";
import { createPostgres } from "../postgres.ts";

commandFlags({
  command: "migrate",
  description: "Applies all pending migrations to a database.",
  variables: { DATABASE_URL: "the database, postgres://…; for Neon the direct URL, without -pooler" },
});
const databaseUrl = process.env.DATABASE_URL;
if (databaseUrl === undefined || !/^postgres(ql)?:\/\//.test(databaseUrl)) {
  console.error("DATABASE_URL must be a postgres:// URL (for Neon: the direct URL, without -pooler)");
  process.exit(2);
}

const backend = createPostgres(databaseUrl);
try {
  const applied = await migrate(backend);
  console.log(applied.length === 0 ? "nothing to do: the database is up to date" : `applied ${applied.join(", ")}`);
} catch (error) {
  console.error(`migration failed, nothing was changed: ${error instanceof Error ? error.message : "unknown"}`);
  process.exitCode = 1;
} finally {
  await backend.close();
}
