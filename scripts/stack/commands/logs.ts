// `npm run logs -- expire` and `npm run logs -- replay`: runs the named command.
import { goOnAs } from "../../project/child.ts";
import { partOf } from "../../project/parts.ts";

export const LOGS = {
  call: "npm run logs --",
  description: "Maintains a deployment's run log. `NAME --help` lists a command's flags.",
  names: {
    expire: "deletes the texts of old requests; needs DATABASE_URL",
    replay: "puts dead letters back on their queue",
  },
} as const;

if (import.meta.main) {
  const [word, ...flags] = process.argv.slice(2);
  await goOnAs(`scripts/stack/commands/logs-${partOf(LOGS, word)}.ts`, flags);
}
