// Describes a release's files: an SBOM for each (CycloneDX), licences, digests and provenance. Signs nothing.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Artifacts, Folders } from "./artifacts.ts";
import { committedAt, python, run } from "./artifacts.ts";
import { type Lock, lockOf, type Manifest } from "./lock.ts";

interface Component {
  name: string;
  version: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}
interface Bom {
  serialNumber?: string;
  metadata: { timestamp?: string; component?: Component };
  components: Component[];
}

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** @param folder the packed npm package @returns its SBOM, with the tested versions */
function npmBom(root: string, folder: string): Bom {
  const manifest = readJson(join(folder, "package.json")) as Manifest;
  const lock = lockOf(manifest, readJson(join(root, "package-lock.json")) as Lock);
  writeFileSync(join(folder, "package-lock.json"), asJson(lock));
  const bom = JSON.parse(
    run(folder, "npm", ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "library", "--package-lock-only"]),
  ) as Bom;
  // npm uses the folder's name as the package's name.
  if (bom.metadata.component !== undefined) bom.metadata.component.name = manifest.name;
  return bom;
}

/** The wheel's SBOM, from an environment with the wheel and its dependencies. */
function pythonBom({ root, sources, out }: Folders, wheel: string): Bom {
  const bare = join(sources, "dist/bare");
  run(out, python(root, "python"), ["-m", "venv", "--without-pip", bare]);
  const needed = ["--constraint", join(root, "clients/python/requirements-test.in"), wheel];
  run(out, python(root, "pip"), ["--python", join(bare, "bin/python"), "install", "--quiet", ...needed]);
  const project = join(sources, "clients/python/pyproject.toml");
  const form = ["environment", "--output-reproducible", "--output-format", "JSON", "--pyproject", project];
  return JSON.parse(run(out, python(root, "cyclonedx-py"), [...form, join(bare, "bin/python")]));
}

const licenceOf = ({ licenses = [] }: Component) =>
  [...new Set(licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? ""))]
    // Python's old classifiers repeat the licence's id.
    .filter((name) => name !== "" && !name.startsWith("License :: "))
    .join(", ");

/** One row per third-party package. @throws Error that names packages without a licence */
export function licencesOf(boms: Readonly<Record<string, Bom>>): string {
  const rows = new Map<string, string>();
  for (const bom of Object.values(boms))
    for (const component of bom.components) rows.set(`${component.name}\t${component.version}`, licenceOf(component));
  const silent = [...rows].filter(([, licence]) => licence === "").map(([name]) => name.replace("\t", " "));
  if (silent.length > 0) throw new Error(`no licence found for ${silent.join(", ")}`);
  return [...rows]
    .map(([name, licence]) => `${name}\t${licence}\n`)
    .sort()
    .join("");
}

/** The in-toto provenance statement: the files, their sources and how they were built. */
function provenance(root: string, folder: string, version: string, files: readonly string[]): object {
  const git = (...args: string[]) => run(root, "git", args).trim();
  const locks = ["package-lock.json", "test/package-lock.json", "clients/python/requirements-release.txt"];
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map((name) => ({ name, digest: { sha256: sha256(join(folder, name)) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:kritai:scripts/release/main.ts",
        externalParameters: { version },
        internalParameters: {
          node: process.version,
          npm: run(root, "npm", ["--version"]).trim(),
          python: run(root, python(root, "python"), ["-V"]).trim(),
          uncommitted: git("status", "--porcelain") !== "",
        },
        resolvedDependencies: [
          { name: "sources", digest: { gitCommit: git("rev-parse", "HEAD") } },
          ...locks.map((name) => ({ name, digest: { sha256: sha256(join(root, name)) } })),
        ],
      },
      runDetails: { builder: { id: "urn:kritai:unsigned" } },
    },
  };
}

/** Writes the descriptions next to the artifacts. */
export function describe(folders: Folders, version: string, { npm, wheel }: Artifacts): void {
  const { root, out } = folders;
  const boms = {
    ...Object.fromEntries(npm.map((path) => [`npm-${basename(path)}`, npmBom(root, path)])),
    python: pythonBom(folders, wheel),
  };
  const timestamp = new Date(Number(committedAt(root)) * 1000).toISOString();
  for (const [name, bom] of Object.entries(boms)) {
    // Both differ between runs with the same content.
    delete bom.serialNumber;
    bom.metadata.timestamp = timestamp;
    writeFileSync(join(out, `${name}.cdx.json`), asJson(bom));
  }
  writeFileSync(join(out, "licences.tsv"), licencesOf(boms));
  const files = readdirSync(out).sort();
  writeFileSync(join(out, "provenance.json"), asJson(provenance(root, out, version, files)));
  const sums = [...files, "provenance.json"].map((name) => `${sha256(join(out, name))}  ${name}\n`);
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
}
