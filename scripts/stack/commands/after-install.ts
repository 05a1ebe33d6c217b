// Makes what a first start would wait for, right after installing: the static assets, and the
// snapshot of the embedded database. What fails here is only told: whoever needs it makes it.
import { buildAssets } from "../assets.ts";

/** One run of initdb leaves the snapshot from which every first start is quick. */
async function warmDatabase(): Promise<void> {
  const { createPglite } = await import("../pglite.ts");
  const backend = await createPglite(null);
  await backend.close();
}

const made = await Promise.allSettled([buildAssets(), warmDatabase()]);
for (const part of made) if (part.status === "rejected") console.error(`kritai: ${part.reason}`);
