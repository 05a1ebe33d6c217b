// The version number: package.json defines it, and a table here lists all other places that repeat it.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Place {
  /** Glob patterns; a pattern may match no file. */
  files: readonly string[];
  /** Matches each statement of the version; group 1 is the version. */
  states: RegExp;
}

const SOURCE = "package.json";
const SEMVER = String.raw`\d+\.\d+\.\d+(?:-rc\.\d+)?`;
const stated = (before: string, after = "") => new RegExp(`${before}(${SEMVER})${after}`, "gm");

const PLACES: readonly Place[] = [
  { files: [SOURCE, "clients/typescript/package.json"], states: stated('^ {2}"version": "', '"') },
  { files: ["package-lock.json"], states: stated('"name": "kritai",\\n +"version": "', '"') },
  { files: ["clients/python/pyproject.toml"], states: stated('^version = "', '"') },
  { files: ["clients/python/src/kritai/transport.py"], states: stated('"kritai-python/', '"') },
  { files: ["src/api/routes/service.ts"], states: stated('^(?:export )?const VERSION = "', '"') },
  { files: ["test/vectors/recorded-replies.json"], states: stated(String.raw`kritai\\",\\"version\\":\\"`) },
  {
    files: [
      "compose.yaml",
      "deploy/**/*.{yaml,md}",
      "gpu-backend/serve/**/*.{yaml,md}",
      "docs/**/*.md",
      "clients/*/README.md",
    ],
    states: stated(String.raw`\bkritai(?:-gateway|-client|-py)?[:-]`),
  },
  { files: ["deploy/helm/*/Chart.yaml"], states: stated('^(?:appVersion|version): "?') },
];

export interface Stated {
  file: string;
  version: string;
}

/** Every statement of the version below `root`, in the order of the table. */
export function versionsIn(root: string): Stated[] {
  return PLACES.flatMap(({ files, states }) =>
    globSync([...files], { cwd: root, exclude: ["**/node_modules/**"] })
      .sort()
      .flatMap((file) =>
        [...readFileSync(join(root, file), "utf8").matchAll(states)].map(([, version = ""]) => ({ file, version })),
      ),
  );
}

/** The version in package.json. */
export function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, SOURCE), "utf8")) as { version: string }).version;
}

/** The version in Python's notation. */
export const asPython = (version: string): string => version.replace("-rc.", "rc");

/** Writes `version` to all places. @returns the changed files */
export function setVersion(root: string, version: string): string[] {
  const changed = new Set<string>();
  for (const { files, states } of PLACES)
    for (const file of globSync([...files], { cwd: root, exclude: ["**/node_modules/**"] })) {
      const text = readFileSync(join(root, file), "utf8");
      const next = text.replace(states, (whole, old: string) => whole.replace(old, version));
      if (next === text) continue;
      writeFileSync(join(root, file), next);
      changed.add(file);
    }
  return [...changed].sort();
}

/** Why `version` cannot follow `current`, or null. */
export function versionFault(version: string, current: string): string | null {
  if (!new RegExp(`^${SEMVER}$`).test(version)) return "must be like 1.2.3 or 1.2.3-rc.1";
  const [next, last] = [version, current].map((text) => (text.split("-")[0] as string).split(".").map(Number));
  const at = [0, 1, 2].find((i) => next?.[i] !== last?.[i]);
  return at !== undefined && (next?.[at] ?? 0) < (last?.[at] ?? 0) ? `must not be lower than ${current}` : null;
}

const UNRELEASED = new RegExp(`^## ${SEMVER} — unreleased$`, "m");

/** The changelog with its unreleased section dated as this version. @throws Error without such a section */
export function released(changelog: string, version: string, date: string): string {
  const newest = /^## .*$/m.exec(changelog)?.[0] ?? "none";
  if (!UNRELEASED.test(newest))
    throw new Error(`CHANGELOG.md's newest heading is "${newest}", not "## VERSION — unreleased"`);
  return changelog.replace(UNRELEASED, `## ${version} — ${date}`);
}
