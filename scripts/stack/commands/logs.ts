// `npm run logs -- expire` and `npm run logs -- replay`: which of the two goes on.
import { goOnAs } from "../../project/child.ts";
import { partOf } from "../../project/parts.ts";

export const LOGS = {
  call: "npm run logs --",
  description: "Actions of a person on a deployment's run log. `--help` after a name lists its flags.",
  names: {
    expire: "deletes texts of old requests; needs DATABASE_URL",
    replay: "puts dead letters back on their queue",
  },
} as const;

if (import.meta.main) {
  const [word, ...flags] = process.argv.slice(2);
  await goOnAs(`scripts/stack/commands/logs-${partOf(LOGS, word)}.ts`, flags);
}
