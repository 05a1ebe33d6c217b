// Defines what a result needs to be repeated: machine, versions, commit.
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { commit } from "../../scripts/stack/commit.ts";
import type { Summary } from "./summary-schema.ts";

/** This process and its machine. The spec hashes are those that replies named. */
export function environment(spec_hashes: ReadonlySet<string>): Summary["environment"] {
  const require = createRequire(import.meta.url);
  const versionOf = (path: string) => (require(path) as { version: string }).version;
  return {
    commit: commit(),
    kritai: versionOf("../../package.json"),
    node: process.version,
    undici: versionOf("undici/package.json"),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory_bytes: totalmem(),
    os: `${type()} ${release()}`,
    spec_hashes: [...spec_hashes].sort(),
  };
}
