// Tests that `public/` is what its sources give: the same bytes by whoever builds it, built again
// where a source or a built file has changed, and by no file that does not count as a source.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { assetFiles } from "../../scripts/build/public/files.ts";
import {
  type BuiltFolder,
  isBuiltFrom,
  PUBLIC,
  replaceFolder,
  sourcesDigest,
} from "../../scripts/build/public/folder.ts";
import { buildAssets } from "../../scripts/stack/assets.ts";

const { root } = PUBLIC;
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("public/", () => {
  test("holds what this process builds too, byte by byte, and nothing else", async () => {
    await buildAssets();
    const files = await assetFiles();
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(join(root, "public", name), "utf8") === text, name).toBe(true);
    }
    expect(filesIn(join(root, "public")).sort()).toEqual(
      Object.keys(files)
        .map((name) => join(root, "public", name))
        .sort(),
    );
  });

  test("is built by nothing that does not count as its source", async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [
        "scripts/build/public/main.ts",
        "scripts/build/pages/browser/main.ts",
        "scripts/build/reference/browser/main.ts",
      ],
      ...{ bundle: true, write: false, metafile: true, outdir: "none", packages: "external" },
      ...{ platform: "node", format: "esm", logLevel: "error" },
    });
    const read = Object.keys(metafile.inputs).filter((path) => !path.startsWith("node_modules/"));
    expect(read).toContain("src/core/faults/errors.ts");
    const counts = (path: string) => PUBLIC.sources.some((source) => path === source || path.startsWith(`${source}/`));
    expect(read.filter((path) => !counts(path))).toEqual([]);
    // It reads the version as text.
    const texts = read.flatMap((path) => {
      const named = readFileSync(join(root, path), "utf8").matchAll(/readFileSync\(new URL\("([^"]+)", root\)/g);
      return [...named].map((match) => match[1] as string);
    });
    expect(texts.sort()).toEqual(["package.json"]);
    expect(texts.filter((path) => !counts(path))).toEqual([]);
  });
});

describe("a built folder", () => {
  let built: BuiltFolder;
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), "kritai-public-"));
    built = { root: folder, sources: ["made", "of.md", "absent"], folder: "out", stamp: "dist/stamp" };
    mkdirSync(join(folder, "made/deep"), { recursive: true });
    writeFileSync(join(folder, "made/deep/a.ts"), "a");
    writeFileSync(join(folder, "of.md"), "of");
  });
  afterEach(() => rmSync(built.root, { recursive: true, force: true }));

  const isCurrent = () => isBuiltFrom(sourcesDigest(built), built);
  const write = () => replaceFolder(built, sourcesDigest(built), { "page.html": "<p>é", "docs/style.css": "" });

  test("is not current before it is built, is then, and leaves nothing beside it", () => {
    expect(isCurrent()).toBe(false);
    write();
    expect(isCurrent()).toBe(true);
    const paths = filesIn(built.root).map((path) => path.slice(built.root.length + 1));
    const sources = ["made/deep/a.ts", "of.md"];
    expect(paths.sort()).toEqual(["dist/stamp", ...sources, "out/docs/style.css", "out/page.html"].sort());
  });

  test.each<[string, (path: (name: string) => string) => void]>([
    ["a source with other words", (path) => writeFileSync(path("made/deep/a.ts"), "b")],
    ["a source more", (path) => writeFileSync(path("made/b.ts"), "")],
    ["a source less", (path) => rmSync(path("of.md"))],
    ["a source of another name", (path) => cpSync(path("made/deep"), path("made/deeper"), { recursive: true })],
    ["a built file with other words", (path) => writeFileSync(path("out/page.html"), "<p>e")],
    ["a built file less", (path) => rmSync(path("out/docs/style.css"))],
    ["a file that no build wrote", (path) => writeFileSync(path("out/old.html"), "")],
    ["no stamp", (path) => rmSync(path("dist/stamp"))],
  ])("is current no more after %s, and is again once built", (_, change) => {
    write();
    change((name) => join(built.root, name));
    expect(isCurrent()).toBe(false);
    write();
    expect(isCurrent()).toBe(true);
    expect(filesIn(join(built.root, "out"))).toHaveLength(2);
  });
});
