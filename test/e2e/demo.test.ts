// `npm run demo` as a person runs it: it ends well, and what it prints is true.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

describe("npm run demo", () => {
  it("scores every example both ways, agrees with the hidden tests wherever the shown examples separate, and reads the log back", async () => {
    const { stdout } = await promisify(execFile)("npm", ["run", "-s", "demo"], { timeout: 500_000 });
    expect(stdout).toMatch(/14 problems, 98 rollouts/);
    const [, separated, agree, disagree] =
      /(\d+) pairs are separated .*: (\d+) verdicts agree with the hidden tests, (\d+) do not/.exec(stdout) ?? [];
    expect(Number(separated)).toBeGreaterThanOrEqual(50);
    expect([agree, disagree]).toEqual([separated, "0"]);
    const listwise =
      /^ {2}listwise.*$/m
        .exec(stdout)?.[0]
        .trim()
        .split(/\s{2,}/) ?? [];
    expect(listwise.slice(-3, -1)).toEqual(["1.000", "1.000"]);
    expect(stdout).toMatch(/Run "demo" read back from Postgres 2 requests/);
  });
});
