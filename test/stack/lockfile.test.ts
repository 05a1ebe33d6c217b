// Holds that a lock entry without a hash, or one that is missing, fails the check.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../e2e/temporary-folder.ts";

type Lock = { packages: Record<string, { integrity?: string }> };

/** The check's report on the lockfile after `change`. */
function checked(change: (lock: Lock) => void, of = "package-lock.json"): { status: number | null; said: string } {
  const folder = temporaryFolder();
  try {
    const lock = JSON.parse(readFileSync(of, "utf8")) as Lock;
    change(lock);
    const file = join(folder.path, "package-lock.json");
    writeFileSync(file, JSON.stringify(lock));
    const { status, stderr } = spawnSync(process.execPath, [
      "scripts/build/complete-lockfile.ts",
      "--check",
      "--file",
      file,
    ]);
    return { status, said: stderr.toString() };
  } finally {
    folder.remove();
  }
}

it("passes as it is, and names an entry without integrity, also of another platform, and a missing one", () => {
  for (const file of ["package-lock.json", "lab/package-lock.json", "test/package-lock.json"])
    expect(checked(() => undefined, file)).toEqual({ status: 0, said: "" });
  const bare = checked(({ packages }) => delete packages["node_modules/zod"]?.integrity);
  expect(bare).toEqual({ status: 1, said: expect.stringMatching(/no integrity of zod@\d/) });
  const name = "node_modules/@biomejs/cli-darwin-x64";
  const elsewhere = checked(({ packages }) => delete packages[name]?.integrity, "test/package-lock.json");
  expect(elsewhere).toEqual({ status: 1, said: expect.stringMatching(/no integrity of @biomejs\/cli-darwin-x64@/) });
  const missing = checked(({ packages }) => delete packages[name], "test/package-lock.json");
  expect(missing).toEqual({ status: 1, said: expect.stringContaining(`lacks ${name}`) });
});
