// Owns how drizzle-kit turns src/run-log/db into the next SQL file of migrations/. Only for
// `npx drizzle-kit generate`; applying is scripts/stack/commands/migrate.ts.
import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: ["./src/run-log/db/schema.ts", "./src/run-log/db/verdict-tables.ts"],
  out: "./migrations",
});
