// Commands that take --out refuse one that cannot take their files: by flag and reason, before
// their work, and without hanging.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { writeFixtureSet } from "../evaluate/fixture-set.ts";

const folder = temporaryFolder();
beforeAll(() => {
  writeFixtureSet(`${folder.path}/set`, { problems: 2, lists: 4 });
  writeFileSync(`${folder.path}/file`, "");
});
afterAll(() => folder.remove());

const path = (name: string) => new URL(`../../../${name}`, import.meta.url).pathname;
/** In /proc, Node's own recursive mkdir does not return, for root as for others. */
const IMPOSSIBLE = process.platform === "linux" ? "/proc/results" : `${folder.path}/file/below`;

/**
 * A command that hangs is ended by SIGKILL, which no handler holds up, and has no exit code then.
 */
function run(main: string, ...args: string[]) {
  const options = { encoding: "utf8", timeout: 500_000, killSignal: "SIGKILL" } as const;
  const { status, stderr, stdout } = spawnSync(process.execPath, [path(main), ...args], options);
  return { status, said: stderr + stdout };
}

describe("an --out that cannot take the files", () => {
  it("is refused by evaluate, without asking anything", () => {
    // Nothing listens there: a request would end the run with another fault.
    const flags = ["--set", `${folder.path}/set`, "--target", "http://127.0.0.1:9"];
    for (const out of [IMPOSSIBLE, `${folder.path}/file`]) {
      const { status, said } = run("lab/evaluate/main.ts", ...flags, "--out", out);
      expect(said).toContain(`--out ${out} cannot be written to: `);
      expect(status).toBe(1);
    }
  });

  it("is refused by testbed import, and by testbed build before it measures anything", () => {
    const problems = path("problems/examples");
    for (const args of [
      ["import", "--from", "folders", "--path", problems],
      // A missing pool is not read either.
      ["build", "--pool", `${folder.path}/none`],
    ]) {
      const { status, said } = run("lab/testbed/main.ts", ...args, "--out", IMPOSSIBLE);
      expect(said).toContain(`--out ${IMPOSSIBLE} cannot be written to: `);
      expect(said).not.toContain("measured");
      expect(status).toBe(2);
    }
  });

  it("is refused of a --cache as well", () => {
    const cache = `${IMPOSSIBLE}/rates.jsonl`;
    const { status, said } = run("lab/testbed/main.ts", "run", "--pool", `${folder.path}/none`, "--cache", cache);
    expect(said).toContain(`--cache ${IMPOSSIBLE} cannot be written to: `);
    expect(status).toBe(2);
  });
});
