// The lockfiles' entries of optional platform packages: a registry mirror that lacks one makes npm leave it
// out, and `npm ci` then refuses the file. Where a hash is missing, pin a version of which the registry has
// every platform.
import { readFileSync, writeFileSync } from "node:fs";
import { commandFlags } from "../command-line/flags.ts";

interface LockEntry {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const { check, file } = commandFlags({
  command: "complete-lockfile",
  call: "node scripts/build/complete-lockfile.ts",
  description:
    "Adds the lockfiles' missing entries of optional platform packages; to be run after every `npm install`.",
  texts: { file: { value: "", help: "one lockfile; without it every one of ours" } },
  switches: { check: "writes nothing and fails when an entry is missing or has no integrity" },
});
const OURS = ["", "lab/", "test/"].map(
  (folder) => new URL(`../../${folder}package-lock.json`, import.meta.url).pathname,
);

interface Lock {
  packages: Record<string, LockEntry>;
}

const SYSTEMS: Record<string, string> = { windows: "win32", sunos: "sunos" };
const CPUS: Record<string, string> = { "64": "x64" };

/**
 * os, cpu and libc as a platform package's name has them: `cli-linux-x64-musl`,
 * `workerd-darwin-64`.
 */
function platformOf(name: string): Pick<LockEntry, "os" | "cpu" | "libc"> {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const at = words.findIndex((word) =>
    /^(linux|darwin|win32|windows|android|freebsd|openbsd|netbsd|sunos|aix)$/.test(word),
  );
  if (at < 0) throw new Error(`${name} names no platform: add its entry by hand`);
  const [system = "", cpu = "", libc] = words.slice(at);
  return {
    os: [SYSTEMS[system] ?? system],
    cpu: [CPUS[cpu] ?? cpu],
    ...(libc === "musl" && { libc: ["musl"] }),
  };
}

/**
 * Optional dependencies that have no entry anywhere in the lockfile, by the path that npm would
 * give them.
 */
function missingEntries({ packages }: Lock): [string, LockEntry][] {
  return Object.values(packages).flatMap((entry) =>
    Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, version]): [string, LockEntry][] => {
      const exact = /^\d+\.\d+\.\d+/.test(version);
      const known = Object.keys(packages).some((key) => key.endsWith(`node_modules/${name}`));
      if (known || !exact) return [];
      const dev = entry.dev === true ? { dev: true } : {};
      return [[`node_modules/${name}`, { version, ...platformOf(name), ...dev, optional: true }]];
    }),
  );
}

const nameOf = (key: string) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);

/** Entries that npm could not verify, as `name@version`. */
const unverified = ({ packages }: Lock): string[] =>
  Object.entries(packages)
    .filter(([key, entry]) => key.includes("node_modules/") && entry.link !== true && entry.integrity === undefined)
    .map(([key, entry]) => `${nameOf(key)}@${entry.version}`);

function refuse(entries: string[], wrong: string): void {
  if (entries.length === 0) return;
  console.error(`${wrong} ${entries.join(", ")}: run node scripts/build/complete-lockfile.ts`);
  process.exit(1);
}

function verify(path: string, lock: Lock): void {
  refuse(
    missingEntries(lock).map(([key]) => key),
    `${path} lacks`,
  );
  refuse(unverified(lock), `${path} has no integrity of`);
}

function complete(path: string, lock: Lock): void {
  const missing = missingEntries(lock);
  for (const [key, entry] of missing) lock.packages[key] = entry;
  const [root, ...rest] = Object.entries(lock.packages);
  rest.sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries([root as [string, LockEntry], ...rest]);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${path}: added ${missing.length}; without a hash: ${unverified(lock).join(", ") || "none"}`);
}

for (const path of file === "" ? OURS : [file]) {
  const lock = JSON.parse(readFileSync(path, "utf8")) as Lock;
  if (check) verify(path, lock);
  else complete(path, lock);
}
