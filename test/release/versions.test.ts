// Holds that there is one version number, that a release writes it wherever it is stated, and the description
// of a package's parts.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { licencesOf } from "../../scripts/release/describe.ts";
import { lockOf } from "../../scripts/release/lock.ts";
import { released, setVersion, versionFault, versionOf, versionsIn } from "../../scripts/release/versions.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { ROOT, textOf } from "../harness/imports.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const current = versionOf(ROOT);
/** Files of the tree in which the version follows one of our names. */
function naming(root: string, version: string): string[] {
  const paths = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  const named = new RegExp(`(?:kritai|VERSION|^version)[^\\n]{0,24}[^\\d.]${version.replaceAll(".", "\\.")}\\b`, "m");
  return paths.filter(
    (path) =>
      /\.(?:ts|json|toml|py|ya?ml|md|sh)$/.test(path) &&
      !/^(?:CHANGELOG\.md|test\/release\/|lab\/results\/|sets\/|problems\/)/.test(path) &&
      named.test(readFileSync(join(root, path), "utf8")),
  );
}

describe("the version", () => {
  it("is one, in every place that states it", () => {
    const places = versionsIn(ROOT);
    expect(new Set(places.map(({ version }) => version))).toEqual(new Set([current]));
    expect(places.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        ...["package.json", "clients/typescript/package.json", "clients/python/pyproject.toml", "compose.yaml"],
        ...["clients/python/src/kritai/transport.py", "src/api/routes/service.ts", "deploy/helm/kritai/Chart.yaml"],
        ...[expect.stringMatching(/^test.vectors/), "deploy/helm/kritai/values.yaml", "docs/container.md"],
      ]),
    );
    expect(places.filter(({ file }) => file === "package-lock.json")).toHaveLength(2);
  });

  it("is written everywhere by a release, and stands nowhere else", () => {
    const stating = naming(ROOT, current);
    expect(stating.length).toBeGreaterThan(8);
    for (const path of new Set([...stating, ...versionsIn(ROOT).map(({ file }) => file)])) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder.path, path));
    }
    const changed = setVersion(folder.path, "9.8.7-rc.1");
    expect(new Set(versionsIn(folder.path).map(({ version }) => version))).toEqual(new Set(["9.8.7-rc.1"]));
    expect(stating.filter((path) => !changed.includes(path))).toEqual([]);
    const left = stating.filter((path) => readFileSync(join(folder.path, path), "utf8").includes(`kritai:${current}`));
    expect(left).toEqual([]);
    expect(setVersion(folder.path, "9.8.7-rc.1")).toEqual([]);
  });

  it("does not go down, and is written as registries take it", () => {
    expect(["0.1.0", "0.1.1-rc.2", "0.2.0", "1.0.0"].map((next) => versionFault(next, "0.1.0"))).toEqual(
      Array(4).fill(null),
    );
    expect(versionFault("0.0.9", "0.1.0")).toBe("must not be lower than 0.1.0");
    for (const wrong of ["1", "v1.2.3", "1.2.3-beta", "01.2.x"]) expect(versionFault(wrong, "0.1.0")).toMatch("1.2.3");
  });

  it("becomes the changelog's heading, where there is something to release", () => {
    const next = released(
      "# Changelog\n\n## 0.2.0 — unreleased\n\nNew.\n\n## 0.1.0 — 2026-01-02\n",
      "0.3.0",
      "2026-02-03",
    );
    expect(next).toBe("# Changelog\n\n## 0.3.0 — 2026-02-03\n\nNew.\n\n## 0.1.0 — 2026-01-02\n");
    expect(() => released(next, "0.4.0", "2026-02-04")).toThrow('newest heading is "## 0.3.0 — 2026-02-03"');
    expect(released(textOf("CHANGELOG.md"), current, "2026-01-01")).toContain(`\n## ${current} — 2026-01-01\n`);
  });
});

describe("what is told of a package", () => {
  const manifest = { name: "p", version: "1.0.0", license: "MIT", dependencies: { a: "1.0.0" } };
  const lock = {
    packages: {
      "": {},
      "node_modules/a": {
        version: "1.0.0",
        dev: true,
        dependencies: { b: "^1.0.0" },
        optionalDependencies: { o: "1.0.0" },
      },
      "node_modules/a/node_modules/b": { version: "1.5.0", dependencies: { c: "*" } },
      "node_modules/b": { version: "2.0.0" },
      "node_modules/c": { version: "3.0.0" },
      "node_modules/o": { version: "1.0.0", optional: true, dependencies: { c: "*", d: "*" } },
      "node_modules/d": { version: "4.0.0" },
      "node_modules/unrelated": { version: "1.0.0" },
    },
  };

  it("its lockfile is of what it needs, where Node finds it, and what it can do without says so", () => {
    const { packages } = lockOf(manifest, lock) as { packages: Record<string, { optional?: boolean; dev?: boolean }> };
    expect(Object.entries(packages).map(([path, { optional, dev }]) => [path, optional ?? dev ?? false])).toEqual([
      ["", false],
      ["node_modules/a", false],
      ["node_modules/a/node_modules/b", false],
      ["node_modules/c", false],
      ["node_modules/d", true],
      ["node_modules/o", true],
    ]);
    expect(() => lockOf({ ...manifest, dependencies: { a: "1.0.1" } }, lock)).toThrow(
      "has a 1.0.0, but the manifest has 1.0.1",
    );
  });

  it("licences are listed a package, and one that states none fails", () => {
    const component = (name: string, licenses?: { license: { id?: string; name?: string } }[]) => ({
      ...{ name, version: "1.0.0", ...(licenses && { licenses }) },
    });
    const classified = [{ license: { id: "MPL-2.0" } }, { license: { name: "License :: OSI Approved" } }];
    const [mit, mpl] = [component("b", [{ license: { id: "MIT" } }]), component("a", classified)];
    expect(licencesOf({ npm: { metadata: {}, components: [mit, mit] }, py: { metadata: {}, components: [mpl] } })).toBe(
      "a\t1.0.0\tMPL-2.0\nb\t1.0.0\tMIT\n",
    );
    expect(() => licencesOf({ npm: { metadata: {}, components: [component("bare")] } })).toThrow("bare 1.0.0");
  });
});
