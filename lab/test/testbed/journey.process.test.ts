// Guarantees that rows in the documented schema become a set: import, run, mutate, build, check, as a user
// types them.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { adversarialCommand } from "../../testbed/commands/adversarial.ts";
import { buildCommand } from "../../testbed/commands/build.ts";
import { checkCommand } from "../../testbed/commands/check.ts";
import { UsageError } from "../../testbed/commands/command.ts";
import { importCommand } from "../../testbed/commands/import.ts";
import { reportCommand } from "../../testbed/commands/report.ts";
import { mutateCommand, runCommand } from "../../testbed/commands/run.ts";
import { readPool } from "../../testbed/sets/pool.ts";
import { readSetContent } from "../../testbed/sets/set-check.ts";
import { shortcutFaults } from "../../testbed/sets/shortcuts.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const at = (name: string): string => join(folder.path, name);

const MAIN = "lab/testbed/main.ts";
const testbed = (...args: string[]): string =>
  execFileSync(process.execPath, [MAIN, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const runOf = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
const refused = (...args: string[]) => {
  const { status, stderr } = runOf(...args);
  return { status, stderr: stderr.trim() };
};

/** Prints, of the numbers on a line, how many are above the mean, and the greatest. */
const PROGRAM = `const numbers = require("fs").readFileSync(0, "utf8").trim().split(" ").filter((word) => word !== "").map(Number);
const sum = numbers.reduce((total, number) => total + number, 0);
let above = 0;
let greatest = null;
for (const number of numbers) {
  if (number * numbers.length > sum) above += 1;
  if (greatest === null || number >= greatest) greatest = number;
}
console.log(above);
if (numbers.length > 0) console.log(greatest);
`;

const INPUTS = [
  "",
  "5",
  "1 2",
  "2 1",
  "3 3 3",
  "-1 -5 -2",
  "0 0 1",
  "10 20 30 40",
  "7 -7",
  "1 2 3 4 100",
  "0",
  "-3 -3 8",
];

function expected(input: string): string {
  const numbers = input
    .split(" ")
    .filter((word) => word !== "")
    .map(Number);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const above = numbers.filter((number) => number > mean).length;
  return numbers.length === 0 ? "0\n" : `${above}\n${Math.max(...numbers)}\n`;
}

const rows = (values: readonly unknown[]): string => `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;

describe("from rows to a set", () => {
  it("goes through every command, and each leaves what the next needs", async () => {
    const tests = INPUTS.map((input) => ({ input: `${input}\n`, output: expected(input) }));
    const problems = ["a", "b"].map((problem_id) => ({
      problem_id,
      prompt: `Above the mean (${problem_id}).`,
      tests,
      source: "mine",
    }));
    const candidates = problems.map(({ problem_id }) => ({
      problem_id,
      language: "javascript",
      generator: "people",
      code: PROGRAM,
    }));
    writeFileSync(at("problems.jsonl"), rows(problems));
    writeFileSync(at("candidates.jsonl"), rows([...candidates, { problem_id: "a" }]));
    const pool = at("pool");
    const engine = ["--cache", at("cache.jsonl"), "--workers", "1"];

    const inputs = ["--problems", at("problems.jsonl"), "--candidates", at("candidates.jsonl")];
    expect(testbed("import", "--from", "jsonl", ...inputs, "--out", pool)).toContain("2 problems, 2 candidates");
    expect((await readPool(pool)).candidates.map(({ pass_rate }) => pass_rate)).toEqual([null, null]);

    expect(testbed("run", "--pool", pool, ...engine)).toContain("2 pass everything, 0 do not, 0 unmeasured");
    expect(testbed("mutate", "--pool", pool, "--mutants", "16", "--chained", "8", ...engine)).toContain("by mutation");
    const generators = new Set((await readPool(pool)).candidates.map(({ generator }) => generator));
    expect(generators).toEqual(new Set(["people", "mutation"]));

    const shape = ["--shares", "0,0,1", "--cells", "0,0,4", "--no-level", "--seed", "5"];
    expect(testbed("build", "--pool", pool, "--out", at("set"), ...shape, ...engine)).toContain("test hard");
    const set = await readSetContent(at("set"));
    // So few mutants of one program cannot be balanced, which is the only thing wrong with the set.
    const unbalanced = shortcutFaults(set.lists);
    const checked = runOf("check", at("set"), "--run", "5", "--workers", "1");
    expect(unbalanced.length).toBeGreaterThan(0);
    expect(checked.stdout).toContain(`; ${unbalanced.length} faults`);
    for (const fault of unbalanced) expect(checked.stderr).toContain(fault);
    expect(checked.status).toBe(1);
    expect(new Set(set.lists.map(({ bucket }) => bucket))).toEqual(new Set(["easy", "hard"]));
    expect(set.adversarial.length).toBeGreaterThan(20);

    writeFileSync(at("set/lists.jsonl"), readFileSync(at("set/lists.jsonl"), "utf8").replace("Above", "Below"));
    expect(refused("check", at("set")).stderr).toContain("lists.jsonl has SHA-256");
  });
});

describe("a mistake on the command line", () => {
  it.each([
    [
      importCommand,
      ["--from", "papyrus", "--out", "x"],
      "--from must be jsonl, code-contests, run-bug-run, quix-bugs or folders",
    ],
    [buildCommand, ["--out", "x"], "give either --problems or --pool"],
    [buildCommand, ["--pool", "x", "--out", "y", "--seed", "1.5"], "--seed must be an integer from 0 to"],
    [
      buildCommand,
      ["--pool", "x", "--out", "y", "--cells", "1,2"],
      "--cells must be three numbers: train,validation,test",
    ],
    [
      buildCommand,
      ["--pool", "x", "--out", "y", "--per-pass-rate", "4"],
      "--per-pass-rate must be two integers of at least 1",
    ],
    [runCommand, ["--pool", "x", "--engine", "somewhere"], "--engine must be embedded or a URL"],
    [runCommand, ["--pool", "x", "--colour"], "--colour"],
    [mutateCommand, [], "--pool is required"],
    [adversarialCommand, ["x.py", "--modification", "none"], "--modification must be one of external_reference"],
    [checkCommand, [], "name the set: check DIR"],
  ])("is refused with its reason", async (command, args, reason) => {
    const refusal = command.run(args);
    await expect(refusal).rejects.toBeInstanceOf(UsageError);
    await expect(refusal).rejects.toThrow(reason);
  });

  it("ends the program with status 2 and one line", () => {
    const { status, stderr } = refused("nothing");
    expect(status).toBe(2);
    expect(stderr).toBe(
      "unknown command nothing; the commands are import, run, mutate, build, adversarial, check, report",
    );
  });

  it("is avoided by help, which every command has with examples", () => {
    const commands = [importCommand, runCommand, mutateCommand, buildCommand, adversarialCommand, checkCommand];
    for (const { help } of [...commands, reportCommand]) {
      expect(help).toMatch(/Examples?\n {2}npm run lab -- testbed /);
    }
    expect(testbed("check", "--help")).toContain(checkCommand.help);
  });
});
