// Owns package-lock.json's entries of optional platform packages: a registry mirror that lacks one
// makes npm leave it out, and `npm ci` then refuses the file.
// `node scripts/build/complete-lockfile.ts` after every `npm install`, with a registry that has
// all; `--check` fails when an entry is missing or has no integrity.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

interface LockEntry {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const at = process.argv.indexOf("--file");
const path = at < 0 ? new URL("../../package-lock.json", import.meta.url) : (process.argv[at + 1] as string);
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, LockEntry> };

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
function missingEntries(): [string, LockEntry][] {
  return Object.values(lock.packages).flatMap((entry) =>
    Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, version]): [string, LockEntry][] => {
      const exact = /^\d+\.\d+\.\d+/.test(version);
      const known = Object.keys(lock.packages).some((key) => key.endsWith(`node_modules/${name}`));
      if (known || !exact) return [];
      const dev = entry.dev === true ? { dev: true } : {};
      return [[`node_modules/${name}`, { version, ...platformOf(name), ...dev, optional: true }]];
    }),
  );
}

/**
 * Packages of other platforms than Linux with glibc that the registry this file was completed with
 * does not have, so that no hash of them could be had: npm installs them there unverified. Nothing
 * else may be without one. Run the command where a full registry answers, and drop what it has
 * filled in.
 */
const UNVERIFIED: ReadonlySet<string> = new Set(
  [
    ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "linux-arm64-musl", "linux-x64-musl"],
    ...["win32-arm64", "win32-x64"],
  ]
    .map((platform) => `@biomejs/cli-${platform}@2.6.8`)
    .concat(
      ["darwin-64", "darwin-arm64", "windows-64"].map((platform) => `@cloudflare/workerd-${platform}@1.20261102.1`),
    ),
);

const nameOf = (key: string) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);

/** Entries that npm could not verify, by `name@version`. */
const unverified = (): Map<string, LockEntry> =>
  new Map(
    Object.entries(lock.packages).flatMap(([key, entry]) =>
      key === "" || entry.link === true || entry.integrity !== undefined
        ? []
        : [[`${nameOf(key)}@${entry.version}`, entry] as const],
    ),
  );

/**
 * Has the registry tell where a package lies and what it hashes to; what it does not have stays as
 * it is.
 */
function fillIn(id: string, entry: LockEntry): boolean {
  try {
    const said = execFileSync("npm", ["view", id, "dist", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
    const { tarball, integrity } = JSON.parse(said.toString()) as { tarball?: string; integrity?: string };
    if (integrity === undefined || tarball === undefined) return false;
    Object.assign(entry, { resolved: tarball, integrity });
    return true;
  } catch {
    return false;
  }
}

function refuse(entries: string[], wrong: string): void {
  if (entries.length === 0) return;
  console.error(`${wrong} ${entries.join(", ")}: run node scripts/build/complete-lockfile.ts`);
  process.exit(1);
}

const missing = missingEntries();
if (process.argv.includes("--check")) {
  const bare = unverified();
  refuse(
    missing.map(([key]) => key),
    "package-lock.json lacks",
  );
  refuse(
    [...bare.keys()].filter((id) => !UNVERIFIED.has(id)),
    "package-lock.json has no integrity of",
  );
  refuse(
    [...UNVERIFIED].filter((id) => !bare.has(id)),
    "this script still excuses",
  );
} else {
  for (const [key, entry] of missing) lock.packages[key] = entry;
  const filled = [...unverified()].filter(([id, entry]) => fillIn(id, entry)).length;
  const [root, ...rest] = Object.entries(lock.packages);
  rest.sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries([root as [string, LockEntry], ...rest]);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(
    `added ${missing.length} entries, ${filled} hashes; without one: ${[...unverified().keys()].join(", ") || "none"}`,
  );
}
