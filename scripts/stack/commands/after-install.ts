// Runs after an install: builds the static assets and the snapshot of the embedded database, so that the
// first start does not wait for them, and deletes the C headers in Node's package. A failure is only
// reported, because the first use builds what is missing.
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAssets } from "../assets.ts";

/** Runs initdb and all migrations once, and keeps the files for every first start. */
async function warmDatabase(): Promise<void> {
  const [{ createPglite }, { migrate }, { keepCluster }] = await Promise.all([
    import("../pglite.ts"),
    import("../migrations.ts"),
    import("../pglite-snapshot.ts"),
  ]);
  await (await createPglite(null)).close();
  const folder = mkdtempSync(join(tmpdir(), "kritai-cluster-"));
  try {
    const backend = await createPglite(folder);
    await migrate(backend);
    await backend.close();
    keepCluster(join(folder, "pg"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deletes Node's C headers and manual pages: 67 MB that are never used. */
async function dropHeaders(): Promise<void> {
  const cwd = new URL("../../../node_modules/", import.meta.url).pathname;
  for (const path of globSync("{node/node_modules/,}node-{linux,darwin}-*/{include,share}", { cwd }))
    rmSync(cwd + path, { recursive: true });
}

const made = await Promise.allSettled([buildAssets(), warmDatabase(), dropHeaders()]);
for (const part of made) if (part.status === "rejected") console.error(`kritai: ${part.reason}`);
