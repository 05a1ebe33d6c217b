// Deploy steps for Cloudflare's Workers Builds, which a deploy button or a push starts. The builder has
// already created the queues and set the secrets, and no person can answer a prompt.

import { deployNow } from "./release.ts";
import type { Step } from "./run.ts";
import { database } from "./secrets.ts";

export const BUILDER_STEPS: readonly Step[] = [
  {
    ...database,
    async check(run) {
      if (run.values.get("DATABASE_URL") !== undefined) return database.check(run);
      return {
        later: "DATABASE_URL is not a variable of this build: apply migrations with npm run migrate (docs/deploy.md)",
      };
    },
  },
  {
    name: "deploy",
    remedy: "fix the error above",
    check: async () => ({ todo: "deploy the pushed commit" }),
    act: async (run) => `deployed to ${(await deployNow(run)).addresses.join(", ") || "its configured URL"}`,
  },
];
