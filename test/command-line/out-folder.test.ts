// A folder for results: made, or refused at once with the flag and the reason, also for root.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FolderFault, makeFolder } from "../../scripts/command-line/out-folder.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";

const folder = temporaryFolder();
const path = (name: string) => `${folder.path}/${name}`;
beforeAll(() => writeFileSync(path("file"), "kept"));
afterAll(() => folder.remove());

const refused = (name: string, files?: string[]) => {
  let fault: unknown = null;
  try {
    makeFolder("--out", name, files);
  } catch (thrown) {
    fault = thrown;
  }
  expect(fault).toBeInstanceOf(FolderFault);
  return (fault as Error).message;
};

describe("a folder for results", () => {
  it("is made with those above it, and what it holds is kept", () => {
    makeFolder("--out", path("new/a/b"), ["report.html"]);
    expect(readdirSync(path("new/a/b"))).toEqual([]);
    writeFileSync(path("new/a/b/report.html"), "earlier");
    makeFolder("--out", path("new/a/b"), ["report.html"]);
    expect(readdirSync(path("new/a/b"))).toEqual(["report.html"]);
    expect(readFileSync(path("new/a/b/report.html"), "utf8")).toBe("earlier");
  });

  it("is refused where a file is, or below one, and the file is kept", () => {
    const message = (out: string) => `--out ${out} cannot be written to: ${path("file")} is a file, not a folder`;
    expect(refused(path("file"))).toBe(message(path("file")));
    expect(refused(path("file/a/b"))).toBe(message(path("file/a/b")));
    expect(readFileSync(path("file"), "utf8")).toBe("kept");
  });

  it("is refused where a link leads nowhere, and where a folder stands in a file's place", () => {
    symlinkSync(path("nowhere"), path("link"));
    expect(refused(path("link"))).toContain("EEXIST");
    mkdirSync(path("taken/report.html"), { recursive: true });
    expect(refused(path("taken"), ["report.html"])).toContain(`${path("taken/report.html")} is a folder, not a file`);
    rmSync(path("link"));
  });

  it("that cannot be made as a whole leaves nothing behind", () => {
    expect(refused(path(`half/${"x".repeat(300)}`))).toContain("ENAMETOOLONG");
    expect(readdirSync(folder.path)).not.toContain("half");
  });

  // Only Linux has it. Where Node's recursive mkdir is used this does not return.
  it.runIf(process.platform === "linux")("is refused in a file system that makes none, for root as well", () => {
    expect(refused("/proc/results/a")).toMatch(
      /^--out \/proc\/results\/a cannot be written to: E[A-Z]+: .*'\/proc\/results'$/,
    );
  });
});
