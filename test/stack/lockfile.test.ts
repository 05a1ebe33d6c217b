// Holds that a lock entry without a hash, or one that is missing, fails the check.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../e2e/temporary-folder.ts";

type Lock = { packages: Record<string, { integrity?: string }> };

/** What the check says of the lockfile after `change`. */
function checked(change: (lock: Lock) => void): { status: number | null; said: string } {
  const folder = temporaryFolder();
  try {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
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
  expect(checked(() => undefined)).toEqual({ status: 0, said: "" });
  const bare = checked(({ packages }) => delete packages["node_modules/zod"]?.integrity);
  expect(bare).toEqual({ status: 1, said: expect.stringMatching(/no integrity of zod@\d/) });
  const elsewhere = checked(({ packages }) => delete packages["node_modules/@biomejs/cli-darwin-x64"]?.integrity);
  expect(elsewhere).toEqual({ status: 1, said: expect.stringMatching(/no integrity of @biomejs\/cli-darwin-x64@/) });
  const missing = checked(({ packages }) => delete packages["node_modules/@biomejs/cli-darwin-x64"]);
  expect(missing).toEqual({ status: 1, said: expect.stringContaining("lacks node_modules/@biomejs/cli-darwin-x64") });
});
