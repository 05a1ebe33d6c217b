// Holds what the four package.json have: exact versions, one copy of what must be one, few scripts,
// and for `npm test` every package that it imports.
import { existsSync } from "node:fs";
import { matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_PROJECTS } from "../scripts/project/test.ts";
import vitestConfig from "../vitest.config.ts";
import { filesOf, importsOf, ROOT, textOf } from "./harness/imports.ts";

type Versions = Record<string, string>;

/** The files that a project of vitest.config.ts runs. */
function projectOf(name: string): { include?: readonly string[]; exclude?: readonly string[] } {
  const { projects = [] } = vitestConfig.test ?? {};
  const tests = projects.flatMap((project) => (typeof project === "object" && "test" in project ? [project.test] : []));
  return tests.find((test) => test?.name === name) ?? {};
}

/** The packages that files import when they run, through all files of ours. */
function packagesOf(paths: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const open = [...paths];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path) || !path.endsWith(".ts") || !existsSync(ROOT + path)) continue;
    seen.add(path);
    const { local, npm } = importsOf(path, textOf(path).replace(/^(?:import|export) type\b[^;]*;/gm, ""));
    open.push(...local);
    for (const name of npm) packages.add(name);
  }
  return packages;
}

describe("the installation", () => {
  const HOUSES = ["", "gpu-backend/", "lab/", "test/"];
  const manifests = HOUSES.map((house) => JSON.parse(textOf(`${house}package.json`)) as Record<string, Versions>);
  const locked = ["", "lab/", "test/"].flatMap((house) => {
    const { packages } = JSON.parse(textOf(`${house}package-lock.json`)) as { packages: object };
    return Object.keys(packages).map((path) => house + path);
  });

  it("holds one copy of workerd, of zod and of miniflare, for the product and what stands beside it", () => {
    for (const name of ["workerd", "zod", "miniflare"])
      expect(locked.filter((path) => path.endsWith(`node_modules/${name}`))).toEqual([`node_modules/${name}`]);
  });

  it("has at most 14 scripts", () => {
    expect(Object.keys(manifests[0]?.scripts ?? {}).length).toBeLessThanOrEqual(14);
  });

  it("has a package that several need at one version", () => {
    const versions = new Map<string, Set<string>>();
    for (const { dependencies, devDependencies } of manifests)
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
    expect([...versions].filter(([, of]) => of.size > 1)).toEqual([]);
  });

  it("gives `npm test` every package that it imports, without those that are installed on first use", () => {
    const own = manifests
      .slice(0, 2)
      .flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }));
    const ofDefault = DEFAULT_PROJECTS.flatMap((name) => {
      const { include = [], exclude = [] } = projectOf(name);
      return filesOf(...include).filter((path) => !exclude.some((pattern) => matchesGlob(path, pattern)));
    });
    expect(ofDefault.length).toBeGreaterThan(200);
    const isOwn = (name: string) => own.some((ours) => name === ours || name.startsWith(`${ours}/`));
    expect([...packagesOf(ofDefault)].filter((name) => !isOwn(name))).toEqual([]);
    expect(packagesOf(["test/clients/cohere.test.ts"])).toContain("cohere-ai");
  });

  it("pins every version exactly", () => {
    const loose = manifests.flatMap(({ dependencies, devDependencies, overrides }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...overrides }).filter(
        ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
      ),
    );
    expect(loose).toEqual([]);
  });
});
