// Owns `DATABASE_URL=postgres://… npm run logs:expire -- --days N`: takes old texts out of the run
// log. Prints counts, never the URL.
import { commandFlags } from "../../lab/flags.ts";
import { expireTexts } from "../expired-texts.ts";
import { createPostgres } from "../postgres.ts";

const flags = commandFlags({
  command: "logs:expire",
  about:
    "Deletes the texts (log_texts, log_verdicts) of requests that came so many days ago or before. Rewards, verdicts and hashes stay.",
  numbers: { days: { least: 0, most: 3_650, value: 30, help: "days that texts are kept" } },
  switches: { "dry-run": "only counts" },
  variables: { DATABASE_URL: "the database, postgres://…" },
});
const databaseUrl = process.env.DATABASE_URL;
if (databaseUrl === undefined || !/^postgres(ql)?:\/\//.test(databaseUrl)) {
  console.error("DATABASE_URL must be a postgres:// URL");
  process.exit(2);
}

const backend = createPostgres(databaseUrl);
try {
  const before = new Date(Date.now() - flags.days * 86_400_000);
  const { texts, verdict_texts, audit_verdicts } = await expireTexts(backend, before, { dry: flags["dry-run"] });
  const did = flags["dry-run"] ? "would delete" : "deleted";
  console.log(`${did} ${texts} parts of prompts and rollouts and ${verdict_texts + audit_verdicts} texts of verdicts`);
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : "unknown"}`);
  process.exitCode = 1;
} finally {
  await backend.close();
}
