// Owns the rows of docs/alarms.md: one an alarm, from what its file says. `--check` writes nothing
// and fails when they are stale.
import { readFileSync, writeFileSync } from "node:fs";
import { commandFlags } from "../command-line/flags.ts";
import { withAlarmRows } from "./pages/alarms.ts";

const page = new URL("../../docs/alarms.md", import.meta.url);
const { check } = commandFlags({
  command: "alarm-rows",
  call: "node scripts/build/alarm-rows.ts",
  about: "Writes the rows of docs/alarms.md from the alarms' files.",
  switches: { check: "writes nothing and fails when a row is stale" },
});
const text = readFileSync(page, "utf8");
const now = withAlarmRows(text);
if (check && now !== text) {
  console.error("docs/alarms.md is stale: run `node scripts/build/alarm-rows.ts`");
  process.exit(1);
}
if (!check) writeFileSync(page, now);
