// How drizzle-kit turns src/run-log/db into the next SQL file of migrations/. Only for `npm run generate --
// migration`; applying is scripts/stack/commands/migrate.ts.

export default {
  dialect: "postgresql",
  schema: ["./src/run-log/db/schema.ts", "./src/run-log/db/verdict-tables.ts", "./src/run-log/db/health-tables.ts"],
  out: "./migrations",
};
