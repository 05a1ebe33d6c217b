// `DATABASE_URL=postgres://… npm run logs -- expire --days N --target URL`: deletes old texts from the run
// log, and old dead letters, which also contain texts. Prints counts, never the database's URL.

import type { DeadLetterSummary, ExpiryOutcome } from "../../../src/core/contract/dead-letter.ts";
import { commandFlags } from "../../command-line/flags.ts";
import { deploymentReply } from "../deployment-reply.ts";
import { expireTexts } from "../expired-texts.ts";
import { createPostgres } from "../postgres.ts";

const flags = commandFlags({
  command: "logs expire",
  call: "npm run logs -- expire",
  description:
    "Deletes the texts (log_texts, log_verdicts) of requests that are at least --days old, and dead letters of that age. Keeps rewards, verdicts and hashes.",
  numbers: { days: { min: 0, max: 3_650, value: 30, help: "how many days to keep texts" } },
  texts: {
    target: { value: "", help: "the deployment's URL, to delete dead letters too, such as https://kritai.example" },
    key: { value: "", secret: true, help: "an API key with the scope admin, instead of KRITAI_API_KEY" },
  },
  switches: { "dry-run": "only counts what it would delete" },
  variables: {
    DATABASE_URL: "the database, postgres://…",
    KRITAI_API_KEY: "the API key, if --key is not given",
  },
});
const databaseUrl = process.env.DATABASE_URL;
if (databaseUrl === undefined || !/^postgres(ql)?:\/\//.test(databaseUrl)) {
  console.error("DATABASE_URL must be a postgres:// URL");
  process.exit(2);
}

/** @returns a line that reports the dead letters */
async function expireLetters(before: Date): Promise<string> {
  if (flags.target === "") return "skipped dead letters, which also contain texts; pass --target to delete them";
  const path = "/v1/logs/dead-letters";
  if (flags["dry-run"]) {
    const { letters, first_at } = await asked<DeadLetterSummary>("GET", path);
    return `${letters} dead letters are stored${first_at === null ? "" : `, the oldest from ${first_at}`}`;
  }
  const { deleted, remaining } = await asked<ExpiryOutcome>("DELETE", `${path}?before=${before.toISOString()}`);
  return `deleted ${deleted} dead letters, ${remaining} remain`;
}

const asked = <T>(method: string, path: string) =>
  deploymentReply<T>({ target: flags.target, key: flags.key || (process.env.KRITAI_API_KEY ?? "") }, method, path);

const backend = createPostgres(databaseUrl);
try {
  const before = new Date(Date.now() - flags.days * 86_400_000);
  const { texts, verdict_texts, audit_verdicts } = await expireTexts(backend, before, { dry: flags["dry-run"] });
  const did = flags["dry-run"] ? "would delete" : "deleted";
  console.log(`${did} ${texts} texts of prompts and rollouts and ${verdict_texts + audit_verdicts} texts of verdicts`);
  console.log(await expireLetters(before));
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : "unknown"}`);
  process.exitCode = 1;
} finally {
  await backend.close();
}
