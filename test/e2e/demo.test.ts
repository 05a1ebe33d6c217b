// `npm run demo` as a person runs it: it ends well, and what it prints is true.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

/** Without the database that a machine of tests may have. */
const demo = (env: Record<string, string> = {}) => {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return promisify(execFile)("npm", ["run", "-s", "demo"], { timeout: 500_000, env: { ...inherited, ...env } });
};

describe("npm run demo", () => {
  it("scores every example both ways, agrees with the hidden tests wherever the shown examples separate, and reads the log back", async () => {
    const { stdout } = await demo();
    expect(stdout).toMatch(/14 problems, 98 rollouts/);
    const [, separated, agree, disagree] =
      /(\d+) pairs differ on the examples: (\d+) verdicts agree with the hidden tests, (\d+) do not/.exec(stdout) ?? [];
    expect(Number(separated)).toBeGreaterThanOrEqual(50);
    expect([agree, disagree]).toEqual([separated, "0"]);
    const listwise =
      /^ {2}listwise.*$/m
        .exec(stdout)?.[0]
        .trim()
        .split(/\s{2,}/) ?? [];
    expect(listwise.slice(-3, -1)).toEqual(["1.000", "1.000"]);
    expect(stdout).toMatch(/Run "demo" read back from Postgres 2 requests/);
    expect(stdout).toMatch(/example-length-hack is made up: in 60 steps .* Alarms: .*length_drift from step \d+/);
    expect(stdout).toContain("npm start -- --example    then open http://127.0.0.1:8787/runs/example-length-hack");
  });

  it.each([
    ["mtbench-ab", { measured: /tau-b 1.00 · selects #0, the best/, comparisons: "40", tau_b: /^0\.[5-9]/ }],
    ["compassverifier", { measured: /tau-b of the rewards (?:0\.[5-9]|1)/, comparisons: "25", tau_b: /^–$/ }],
  ])(
    "with JUDGE=%s judges texts that are no code in that preset's words, and reads the log back",
    async (judge, told) => {
      const { stdout } = await demo({ JUDGE: judge });
      expect(stdout).toContain(`6 questions, 25 answers, judged by ${judge}.`);
      expect(stdout).toMatch(told.measured);
      const [row] = stdout.split("\n").filter((line) => line.startsWith(`  ${judge} `));
      const [, rewards, comparisons, , , tau_b] = (row ?? "").trim().split(/\s{2,}/);
      expect([rewards, comparisons]).toEqual(["25", told.comparisons]);
      // The simulator is right on most pairs, and its seeds are fixed.
      expect(tau_b).toMatch(told.tau_b);
      expect(stdout).toMatch(/Run "demo" read back from Postgres 1 requests/);
    },
  );

  it("refuses a JUDGE that is no preset, in one line that names the nearest", async () => {
    const fault = await demo({ JUDGE: "mtbench-aa" }).catch((error: { code: number; stderr: string }) => error);
    expect(fault).toMatchObject({ code: 1 });
    expect((fault as { stderr: string }).stderr).toMatch(
      /^kritai: JUDGE: unknown preset mtbench-aa\. Did you mean mtbench-ab\? Presets: [^\n]+\n$/,
    );
  });
});
