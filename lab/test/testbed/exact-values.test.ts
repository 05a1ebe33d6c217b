// Guarantees that a test's values arrive as they were written: floats, long integers, dictionaries, digits,
// and how strictly they are compared.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { createEmbeddedEngine } from "../../testbed/engines/embedded.ts";
import { parseExactJson } from "../../testbed/format/exact-json.ts";
import { Omissions, readAllJsonl, writeJsonl } from "../../testbed/format/jsonl.ts";
import { type PoolProblem, PoolProblemSchema } from "../../testbed/format/pool-format.ts";
import { shortcutFaults } from "../../testbed/sets/shortcuts.ts";
import { jsonlRows } from "../../testbed/sources/jsonl-rows.ts";

const folder = temporaryFolder();
const engine = createEmbeddedEngine(1);
afterAll(async () => {
  await engine.close();
  folder.remove();
});

const call = (args: string, expected: string, more = ""): string =>
  `{"kind": "call", "function": "f", "args": ${args}, "expected": ${expected}${more}}`;
const row = (...tests: string[]): string =>
  `{"problem_id": "p", "prompt": "Do.", "source": "mine", "tests": [${tests.join(", ")}]}\n`;

/**
 * The problem as `import --from jsonl` reads it, and once more after the pool was written and read.
 */
async function imported(text: string): Promise<{ problem: PoolProblem | undefined; named: string[] }> {
  const [problems, candidates] = [join(folder.path, "problems.jsonl"), join(folder.path, "candidates.jsonl")];
  writeFileSync(problems, text);
  writeFileSync(candidates, "");
  const omissions = new Omissions();
  const read: PoolProblem[] = [];
  for await (const item of jsonlRows(problems, candidates)(omissions)) if ("problem" in item) read.push(item.problem);
  const pool = join(folder.path, "pool.jsonl");
  await writeJsonl(pool, read);
  const [problem] = await readAllJsonl(pool, PoolProblemSchema, parseExactJson);
  return { problem, named: omissions.named };
}

async function outcomes(code: string, ...tests: string[]): Promise<string[]> {
  const { problem, named } = await imported(row(...tests));
  expect(named).toEqual([]);
  const runs = await engine.run({ language: "python", code }, problem?.tests ?? []);
  return runs.map(({ outcome }) => outcome);
}

describe("values of a call", () => {
  it("keep a float a float and a long integer whole, into the pool and back", async () => {
    const { problem } = await imported(row(call("[3.0, [1e2], 3]", "123456789012345678901234567890")));
    expect(problem).toBeDefined();
    const text = readFileSync(join(folder.path, "pool.jsonl"), "utf8");
    expect(text).toContain('"args":[3.0,[1e2],3],"expected":123456789012345678901234567890');
    const shown = "def f(x):\n    return repr(x)";
    expect(await outcomes(shown, call("[3.0]", '"3.0"'), call("[3]", '"3"'), call("[[2.50]]", '"[2.5]"'))).toEqual([
      "passed",
      "passed",
      "passed",
    ]);
    const long = call("[123456789012345678901234567890]", "123456789012345678901234567891");
    expect(await outcomes("def f(x):\n    return x + 1", long)).toEqual(["passed"]);
  });

  it("may be dictionaries", async () => {
    const invert = "def f(d):\n    return {v: k for k, v in d.items()}";
    const tests = [call('[{"a": "x"}]', '{"x": "a"}'), call('[{"a": "x"}]', '{"a": "x"}')];
    expect(await outcomes(invert, ...tests)).toEqual(["passed", "wrong"]);
  });

  it("distinguish 1, 1.0 and True only with strict: types", async () => {
    const same = "def f(x):\n    return x";
    const all = ["[1]", "[1.0]", "[true]", "[[1.0]]"];
    const of = (more: string) =>
      outcomes(same, ...all.map((args) => call(args, args === "[[1.0]]" ? "[1]" : "1", more)));
    expect(await of("")).toEqual(["passed", "passed", "passed", "passed"]);
    expect(await of(', "strict": "types"')).toEqual(["passed", "wrong", "wrong", "wrong"]);
    expect(await outcomes(same, call("[2.0]", "2.0", ', "strict": "types"'))).toEqual(["passed"]);
  });

  it("that no test can hold are refused with their place and the reason", async () => {
    const { problem, named } = await imported(row(call("[1]", "1", ', "strict": "very"')));
    expect(problem).toBeUndefined();
    expect(named[0]).toMatch(/problems\.jsonl:1 \(tests\.0\.strict: .+\)/);
    const missing = await imported(row('{"kind": "call", "function": "f", "args": {"a": 1}, "expected": 1}'));
    expect(missing.named[0]).toMatch(/\(tests\.0\.args: .*expected array/);
  });
});

describe("digits that a problem asks for", () => {
  const printed = (text: string) => `print("${text}")`;

  it("are compared as written where the test says so; else fractions agree to 1e-6", async () => {
    const loose = '{"input": "", "output": "0.333333\\n"}';
    const exact = '{"input": "", "output": "0.333333\\n", "exact": true}';
    expect(await outcomes(printed("0.3333339"), loose, exact)).toEqual(["passed", "wrong"]);
    expect(await outcomes(printed("0.333333"), loose, exact)).toEqual(["passed", "passed"]);
    expect(await outcomes(printed("0.3333330"), loose, exact)).toEqual(["passed", "wrong"]);
  });
});

describe("a set on which the form alone finds the right program", () => {
  const programs = ["a = b + c\nprint(a)", "a = b - c\nprint(a)", "a = b + d\nprint(a)"];
  const list = (n: number, right: number) => ({
    candidates: programs.map((code, i) => ({ candidate_id: `${n}/${i}`, code, pass_rate: i === right ? 1 : 0.3 })),
  });
  const lists = (count: number, share: number) =>
    Array.from({ length: count }, (_, n) => list(n, n < count * share ? 0 : 1 + (n % 2)));

  it("is not sound, and the reason says by how much", () => {
    const [fault, ...more] = shortcutFaults(lists(100, 0.49));
    expect(more).toEqual([]);
    expect(fault).toMatch(/^the central program is the right one in 49\.0 % of lists, against 33\.3 % by chance/);
  });

  it("is sound at chance, and with too few lists nothing is reported", () => {
    expect(shortcutFaults(lists(100, 1 / 3))).toEqual([]);
    expect(shortcutFaults(lists(6, 0.5))).toEqual([]);
    expect(shortcutFaults([])).toEqual([]);
  });
});
