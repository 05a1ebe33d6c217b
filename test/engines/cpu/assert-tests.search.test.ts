// Holds tests given as code to what Python and JavaScript themselves say of honest programs, and to
// nothing at all for wrong ones that reach for the comparison; no program passes for a failed sandbox.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Examiner, ranOf } from "../../../gpu-backend/engines/cpu/examine.ts";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import {
  FAILING,
  JAVASCRIPT_ATTACKS,
  JAVASCRIPT_TESTS,
  PYTHON_ATTACKS,
  PYTHON_TESTS,
} from "../../../lab/red-team/material/programs.ts";
import type { ProgramTest } from "../../../src/core/wire/examination.ts";

interface Vectors {
  programs: { language: ProgramTest["language"]; program: string; wrong: string; asserts: string[] }[];
}
const { programs } = JSON.parse(
  readFileSync(new URL("../../vectors/assert_tests.json", import.meta.url), "utf8"),
) as Vectors;

let sandbox: Sandbox;
let examiner: Examiner;
beforeAll(async () => {
  sandbox = await createSandbox({ workers: 2 });
  examiner = new Examiner(sandbox);
});
afterAll(() => sandbox.close());

async function statusOf(language: ProgramTest["language"], source: string, assert: string) {
  const asked: ProgramTest = { language, cells: [assert], mode: "exec", functions: [], has_imports: false };
  return (await examiner.examine({ language, source }, asked, {})).finding?.status;
}

describe.each(programs.map((one, at) => ({ ...one, at })))("$language programs, $at", (entry) => {
  const { language, program, wrong, asserts } = entry;
  test.each(asserts)("%j passes with the right program alone", async (assert) => {
    expect(await statusOf(language, program, assert)).toBe("pass");
    expect(["fail", "runtime"]).toContain(await statusOf(language, wrong, assert));
  });
});

const FAILED = ["fail", "runtime", "timeout", "memory", "compile"];
/** Three tests each, so that all come up. */
const some = (tests: readonly string[], at: number) =>
  [0, 1, 2].map((i) => tests[(at * 3 + i) % tests.length] as string);

test.each(Object.entries(PYTHON_ATTACKS).map(([name, code], at) => ({ name, code, at })))(
  "Python: $name passes nothing",
  async ({ code, at }) => {
    for (const assert of [PYTHON_TESTS[0] as string, ...some(PYTHON_TESTS, at)])
      expect([assert, FAILED.includes((await statusOf("python", code, assert)) ?? "null")]).toEqual([assert, true]);
  },
);

test.each(Object.entries(JAVASCRIPT_ATTACKS).map(([name, code], at) => ({ name, code, at })))(
  "JavaScript: $name passes nothing",
  async ({ code, at }) => {
    for (const assert of [JAVASCRIPT_TESTS[0] as string, ...some(JAVASCRIPT_TESTS, at)])
      expect([assert, FAILED.includes((await statusOf("javascript", code, assert)) ?? "null")]).toEqual([assert, true]);
  },
);

test("the tests that attacks are held against pass with a program that is right", async () => {
  for (const assert of PYTHON_TESTS)
    expect([assert, await statusOf("python", "def f(x):\n    return x + x", assert)]).toEqual([assert, "pass"]);
  for (const assert of JAVASCRIPT_TESTS)
    expect([assert, await statusOf("javascript", "function f(x) { return x + x; }", assert)]).toEqual([assert, "pass"]);
});

test.each(FAILING)("%s: %j has failed, and the sandbox has not", async (language, source) => {
  const [result] = await sandbox.runPlans({ language, source }, [{ stdin: "", cells: [], as_script: true }]);
  const ran = ranOf(result as NonNullable<typeof result>);
  expect(ran.end === "timeout" || (ran.end === "exit" && ran.exit_code !== 0)).toBe(true);
});

test("what no program can be asked for is unknown, and not a failure", async () => {
  const handed = "class Node:\n    pass\nassert f(Node()) == 1";
  expect(await statusOf("python", "def f(x):\n    return 1", handed)).toBe("unknown");
});
