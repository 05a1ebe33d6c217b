// Makes what a first start would wait for, right after installing: the static assets, and the
// snapshot of the embedded database. Takes away what Node's package brings for building add-ons.
// What fails here is only told: whoever needs it makes it.
import { globSync, rmSync } from "node:fs";
import { buildAssets } from "../assets.ts";

/** One run of initdb leaves the snapshot from which every first start is quick. */
async function warmDatabase(): Promise<void> {
  const { createPglite } = await import("../pglite.ts");
  const backend = await createPglite(null);
  await backend.close();
}

/** Node's C headers and manual pages: 67 MB that nothing here reads. */
async function dropHeaders(): Promise<void> {
  const cwd = new URL("../../../node_modules/", import.meta.url).pathname;
  for (const path of globSync("{node/node_modules/,}node-{linux,darwin}-*/{include,share}", { cwd }))
    rmSync(cwd + path, { recursive: true });
}

const made = await Promise.allSettled([buildAssets(), warmDatabase(), dropHeaders()]);
for (const part of made) if (part.status === "rejected") console.error(`kritai: ${part.reason}`);
