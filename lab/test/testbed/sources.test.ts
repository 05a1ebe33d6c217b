// The guarantees of the importers: what each public layout becomes, and that a bad row is named and passed
// over.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { Omissions } from "../../testbed/format/jsonl.ts";
import { readPool } from "../../testbed/sets/pool.ts";
import { codeContests } from "../../testbed/sources/code-contests.ts";
import { jsonlRows } from "../../testbed/sources/jsonl-rows.ts";
import { problemFolders } from "../../testbed/sources/problem-folders.ts";
import { quixBugs } from "../../testbed/sources/quix-bugs.ts";
import { runBugRun } from "../../testbed/sources/run-bug-run.ts";
import { readSource, type Source, writePool } from "../../testbed/sources/source.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

function file(name: string, content: string | Buffer): string {
  const path = join(folder.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const lines = (rows: readonly unknown[]): string =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

async function read(source: Source) {
  const omissions = new Omissions();
  const pool = await readSource(source, omissions);
  const programs = pool.candidates.map(({ problem_id, language, code, declared }) => ({
    problem_id,
    language,
    code,
    declared,
  }));
  return { ...pool, programs, omissions };
}

describe("CodeContests+", () => {
  const row = {
    source: "Codeforces",
    id: "1_A",
    title: "Sum",
    description: "Add.",
    test_cases: [
      { input: "1 2", output: "3" },
      { input: "2 2", output: "4" },
    ],
    correct_submissions: [
      { language: "py3", code: "print(1)" },
      { language: "py2", code: "print 1" },
      { language: "cpp", code: "int main(){}" },
      { language: "py3", code: "print(2)" },
    ],
    incorrect_submissions: { language: ["py3", "java"], code: ["print(0)", "class A {}"] },
    checker: "// testlib",
    generator_cmd: null,
  };
  const options = { languages: ["python", "cpp"], submissions_max: 1, tests_max: 1 };

  it("gives a problem a row and its submissions in the wanted languages, structs of lists or lists of structs alike", async () => {
    const { problems, programs, omissions } = await read(codeContests(file("cc.jsonl", lines([row])), options));
    expect(problems).toEqual([
      {
        problem_id: "1_A",
        prompt: "# Sum\n\nAdd.",
        difficulty: null,
        languages: [],
        tests: [{ kind: "stdio", input: "1 2", output: "3" }],
        source: "Codeforces",
      },
    ]);
    expect(programs).toEqual([
      { problem_id: "1_A", language: "python", code: "print(1)", declared: "right" },
      { problem_id: "1_A", language: "cpp", code: "int main(){}", declared: "right" },
      { problem_id: "1_A", language: "python", code: "print(0)", declared: "wrong" },
    ]);
    expect(omissions.total).toBe(0);
  });

  it("reads a compressed export, and names rows that are no JSON, lack a field or have no test", async () => {
    const rows = [
      row,
      "{",
      { ...row, id: undefined },
      "",
      { ...row, id: "1_B", test_cases: [] },
      { ...row, id: "1_C" },
    ];
    const { problems, omissions } = await read(codeContests(file("cc.jsonl.gz", gzipSync(lines(rows))), options));
    expect(problems.map(({ problem_id }) => problem_id)).toEqual(["1_A", "1_C"]);
    expect(omissions.counts).toEqual({ "malformed row": 3 });
    expect(omissions.named.map((line) => line.replace(/^.*cc/, "cc"))).toEqual([
      "cc.jsonl.gz:2 (not JSON): malformed row",
      expect.stringContaining("cc.jsonl.gz:3 (id:"),
      "cc.jsonl.gz:5 (test_cases: no tests): malformed row",
    ]);
  });

  it("fails when the file is missing or is not compressed although its name says so", async () => {
    await expect(read(codeContests(join(folder.path, "none.jsonl"), options))).rejects.toThrow("ENOENT");
    await expect(read(codeContests(join(folder.path, "none.jsonl.gz"), options))).rejects.toThrow("ENOENT");
    await expect(read(codeContests(file("plain.jsonl.gz", lines([row])), options))).rejects.toThrow("header");
  });
});

describe("RunBugRun", () => {
  const bug = { id: 1, problem_id: "p00001", buggy_code: "print(0)", fixed_code: "print(1)", labels: [] };
  const files = {
    bugs: file("python_train0.jsonl", lines([bug, { ...bug, problem_id: "p00002" }, { ...bug, language: 2 }])),
    tests: file("tests_all.jsonl", lines([{ problem_id: "p00001", id: 7, input: "", output: "1\n" }])),
    descriptions: file("problems.jsonl", lines([{ problem_id: "p00001", text: "Print one." }])),
  };

  it("gives each pair as a program declared right and one declared wrong, its language from the row or the file's name", async () => {
    const { problems, programs, omissions } = await read(
      runBugRun(files, { languages: ["python", "javascript"], tests_max: 9 }),
    );
    expect(problems.map(({ prompt, tests }) => [prompt, tests.length])).toEqual([["Print one.", 1]]);
    expect(programs).toEqual([
      { problem_id: "p00001", language: "python", code: "print(1)", declared: "right" },
      { problem_id: "p00001", language: "python", code: "print(0)", declared: "wrong" },
      { problem_id: "p00001", language: "javascript", code: "print(1)", declared: "right" },
      { problem_id: "p00001", language: "javascript", code: "print(0)", declared: "wrong" },
    ]);
    expect(omissions.counts).toEqual({ "bug without a description": 1 });
  });
});

describe("QuixBugs", () => {
  const code = (step: string): string => `def twice(n):\n    return n ${step} n\n`;
  file("quix/python_programs/twice.py", `${code("-")}\n"""\nTwice\n\n>>> twice(2)\n4\n"""\n`);
  file("quix/correct_python_programs/twice.py", `${code("+")}\n"""\ndef twice(n):\n    return 2 * n\n"""\n`);
  file("quix/json_testcases/twice.json", "[2, 4]\n[[3], 6]\n");
  file("quix/python_programs/graph.py", "pass");
  file("quix/python_programs/twice_test.py", "pass");

  it("gives the corrected and the buggy program without their blocks, the buggy one's block being the description", async () => {
    const { problems, programs, omissions } = await read(quixBugs(join(folder.path, "quix")));
    expect(problems).toEqual([
      {
        problem_id: "twice",
        prompt: "Twice\n\n>>> twice(2)\n4\n\nWrite the Python function `twice`.",
        difficulty: null,
        languages: ["python"],
        tests: [
          { kind: "call", function: "twice", args: [2], expected: 4, strict: false },
          { kind: "call", function: "twice", args: [3], expected: 6, strict: false },
        ],
        source: "quix-bugs",
      },
    ]);
    expect(programs.map((program) => [program.code, program.declared])).toEqual([
      [code("+").trimEnd(), "right"],
      [code("-").trimEnd(), "wrong"],
    ]);
    expect(omissions.counts).toEqual({ "program without a counterpart or tests": 1 });
  });
});

describe("rows of the documented schema", () => {
  it("become a pool that reads back, without duplicates and rows of unknown problems", async () => {
    const problem = { problem_id: "p", prompt: "Echo.", tests: [{ input: "1", output: "1" }], source: "mine" };
    const candidate = {
      problem_id: "p",
      language: "python",
      generator: "model-a",
      code: "print(input())",
      pass_rate: 0.5,
    };
    const source = jsonlRows(
      file("mine-problems.jsonl", lines([problem, problem, { ...problem, problem_id: "q", tests: [] }])),
      file(
        "mine-candidates.jsonl",
        lines([candidate, candidate, { ...candidate, problem_id: "q" }, { ...candidate, code: "" }]),
      ),
    );
    const { problems, candidates, omissions } = await writePool(source, folder.path);
    expect([problems, candidates]).toEqual([1, 1]);
    expect(omissions.counts).toEqual({
      "malformed row": 2,
      "duplicate problem": 1,
      "candidate with an unknown problem": 1,
    });
    const pool = await readPool(folder.path);
    expect(pool.problems[0]?.tests).toEqual([{ kind: "stdio", input: "1", output: "1" }]);
    expect(pool.candidates[0]).toMatchObject({ generator: "model-a", pass_rate: null, declared: null });
  });
});

describe("folders of problems", () => {
  it("give the statement, the hidden tests, and every program by its ending or its fence", async () => {
    file("own/echo/statement.txt", "Echo.");
    file("own/echo/meta.json", JSON.stringify({ title: "Echo", difficulty: "easy" }));
    file("own/echo/hidden-tests.json", JSON.stringify([{ kind: "stdio", input: "1", output: "1" }]));
    file("own/echo/programs/right.py", "print(input())\n");
    file("own/echo/programs/right.js", "console.log(1)\n");
    file("own/echo/programs/notes.txt", "not a program");
    file("own/half/statement.txt", "No tests.");
    const { problems, programs, omissions } = await read(problemFolders(join(folder.path, "own")));
    expect(problems.map(({ problem_id, difficulty }) => [problem_id, difficulty])).toEqual([["echo", "easy"]]);
    expect(programs.map(({ language, code }) => [language, code])).toEqual([
      ["javascript", "console.log(1)"],
      ["python", "print(input())"],
    ]);
    expect(omissions.counts).toEqual({ "malformed problem": 1 });
  });
});
