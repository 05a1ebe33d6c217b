// Owns the tables of docs/systems.md: a row a system, from docs/systems.jsonl. `--check` writes
// nothing and fails when they are stale.
import { readFileSync, writeFileSync } from "node:fs";
import { commandFlags } from "../command-line/flags.ts";
import { withSystemRows } from "./systems/rows.ts";

const page = new URL("../../docs/systems.md", import.meta.url);
const { check } = commandFlags({
  command: "system-rows",
  call: "node scripts/build/system-rows.ts",
  about: "Writes the tables of docs/systems.md from docs/systems.jsonl.",
  switches: { check: "writes nothing and fails when a row is stale" },
});
const text = readFileSync(page, "utf8");
const now = withSystemRows(text);
if (check && now !== text) {
  console.error("docs/systems.md is stale: run `node scripts/build/system-rows.ts`");
  process.exit(1);
}
if (!check) writeFileSync(page, now);
