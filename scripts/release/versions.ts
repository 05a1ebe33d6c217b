// The one version number: package.json has it, and here is the table of all other places that state it.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Place {
  /** Files by pattern; where none fits, nothing is stated. */
  files: readonly string[];
  /** Its first group is the version, at each match. */
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

/** Each statement below `root`, in the order of the table; of every place at least one. */
export function versionsIn(root: string): Stated[] {
  return PLACES.flatMap(({ files, states }) =>
    globSync([...files], { cwd: root, exclude: ["**/node_modules/**"] })
      .sort()
      .flatMap((file) =>
        [...readFileSync(join(root, file), "utf8").matchAll(states)].map(([, version = ""]) => ({ file, version })),
      ),
  );
}

/** The version that package.json states. */
export function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, SOURCE), "utf8")) as { version: string }).version;
}

/** As Python's packages write it. */
export const asPython = (version: string): string => version.replace("-rc.", "rc");

/** Writes `version` everywhere; the files that changed. */
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

/** What is wrong with `version` as the next one after `current`, or null. */
export function versionFault(version: string, current: string): string | null {
  if (!new RegExp(`^${SEMVER}$`).test(version)) return "must be like 1.2.3 or 1.2.3-rc.1";
  const [next, last] = [version, current].map((text) => (text.split("-")[0] as string).split(".").map(Number));
  const at = [0, 1, 2].find((i) => next?.[i] !== last?.[i]);
  return at !== undefined && (next?.[at] ?? 0) < (last?.[at] ?? 0) ? `must not be below ${current}` : null;
}

const UNRELEASED = new RegExp(`^## ${SEMVER} — unreleased$`, "m");

/** The changelog whose newest part, as yet unreleased, is this version's. @throws Error without one */
export function released(changelog: string, version: string, date: string): string {
  const newest = /^## .*$/m.exec(changelog)?.[0] ?? "none";
  if (!UNRELEASED.test(newest))
    throw new Error(`CHANGELOG.md's newest heading is "${newest}", not "## VERSION — unreleased"`);
  return changelog.replace(UNRELEASED, `## ${version} — ${date}`);
}
