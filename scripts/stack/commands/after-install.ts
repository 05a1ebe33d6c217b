// Makes the files that a first start would wait for, right after installing: the static assets, and the
// snapshot of the embedded database. Takes away the headers that Node's package brings for building add-ons.
// A failure here is only reported: the first use makes the file.
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildAssets } from "../assets.ts";

/** One run of initdb leaves the snapshot, and one of all migrations the files, of every first start. */
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

/** Node's C headers and manual pages: 67 MB that nothing here reads. */
async function dropHeaders(): Promise<void> {
  const cwd = new URL("../../../node_modules/", import.meta.url).pathname;
  for (const path of globSync("{node/node_modules/,}node-{linux,darwin}-*/{include,share}", { cwd }))
    rmSync(cwd + path, { recursive: true });
}

const made = await Promise.allSettled([buildAssets(), warmDatabase(), dropHeaders()]);
for (const part of made) if (part.status === "rejected") console.error(`kritai: ${part.reason}`);
