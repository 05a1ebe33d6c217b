// The steps of Cloudflare's own builder, where a deploy button or a push arrives: it has set and made what it
// was asked for, and no person is there to be asked.

import { deployNow } from "./release.ts";
import type { Step } from "./run.ts";
import { database } from "./secrets.ts";

export const BUILDER_STEPS: readonly Step[] = [
  {
    ...database,
    async check(run) {
      if (run.values.get("DATABASE_URL") !== undefined) return database.check(run);
      return { later: "DATABASE_URL is not a variable of this build: run npm run migrate on it (docs/deploy.md)" };
    },
  },
  {
    name: "deploy",
    remedy: "look at the reason",
    check: async () => ({ todo: "what was pushed" }),
    act: async (run) => `at ${(await deployNow(run)).addresses.join(", ") || "its address"}`,
  },
];
