// Keeps a snapshot of an empty database cluster in node_modules/.cache and in the npm package, so that initdb
// runs once per installation, and the files of a migrated cluster. Neither contains data.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { PGlite } from "@electric-sql/pglite";
import { migrationsDigest } from "./migrations.ts";

/**
 * The node_modules folder with PGlite: the clone's, or that of the project that installed the npm package.
 */
const MODULES = createRequire(import.meta.url)
  .resolve("@electric-sql/pglite")
  .split("@electric-sql")[0] as string;

/** The snapshot's path in the npm package, which has one version of PGlite. */
export const SHIPPED = "scripts/stack/pglite.tgz";

/** The path to which a first start writes the snapshot. */
export function snapshotPath(): string {
  const { version } = JSON.parse(readFileSync(join(MODULES, "@electric-sql/pglite/package.json"), "utf8"));
  return join(MODULES, ".cache/kritai", `pglite-${version}.tgz`);
}

/** The path of a cluster with the current migrations. */
const clusterPath = () => snapshotPath().replace(/\.tgz$/, `-${migrationsDigest().slice(0, 16)}`);

/** Keeps a closed cluster's files for first starts. The cluster must be migrated and empty. */
export function keepCluster(files: string): void {
  const part = `${clusterPath()}.${process.pid}`;
  cpSync(files, part, { recursive: true });
  renameSync(part, clusterPath());
}

/** Copies the kept cluster to `to`, in a fifth of the time of unpacking. False if there is none. */
export function copyCluster(to: string): boolean {
  try {
    cpSync(clusterPath(), to, { recursive: true });
    return true;
  } catch {
    rmSync(to, { recursive: true, force: true });
    return false;
  }
}

/** The tar of an empty cluster, or null if no snapshot can be read. */
export async function readSnapshot(): Promise<Blob | null> {
  for (const path of [new URL(`../../${SHIPPED}`, import.meta.url), snapshotPath()])
    try {
      // Unpacked here, because zlib is several times faster than PGlite's own stream.
      return new Blob([new Uint8Array(await promisify(gunzip)(readFileSync(path)))]);
    } catch {}
  return null;
}

/**
 * Keeps `pg`, which must be fresh from initdb, for the next first start. Does nothing if the cache is not
 * writable.
 */
export async function writeSnapshot(pg: PGlite): Promise<void> {
  const path = snapshotPath();
  const part = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const packed = await pg.dumpDataDir("gzip");
    writeFileSync(part, new Uint8Array(await packed.arrayBuffer()));
    renameSync(part, path);
  } catch {
    rmSync(part, { force: true });
  }
}
