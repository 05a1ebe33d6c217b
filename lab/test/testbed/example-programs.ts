// The programs that the testbed's tests read: the problems' own, the examples' candidates, and C++ and Java
// beside this file.
import { readdirSync, readFileSync } from "node:fs";
import type { Program, Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { runTests, type TestResult } from "../../../gpu-backend/engines/cpu/test-cases.ts";
import { extractCandidate } from "../../../src/core/candidate/extract.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { loadProblems, type ProblemTest } from "../../problems/problem.ts";
import type { SourceLanguage } from "../../testbed/syntax/grammar.ts";

const PROBLEMS = new URL("../../../problems/sets/", import.meta.url);
const LANGUAGES: Record<string, SourceLanguage> = { py: "python", js: "javascript", cpp: "cpp", java: "java" };

export interface ExampleProgram {
  name: string;
  language: SourceLanguage;
  code: string;
}

type StdioTest = ProblemTest & { kind: "stdio" };

/** A problem of problems/sets with its programs; their names begin with `right` or `wrong`. */
export interface FolderProblem {
  id: string;
  statement: string;
  meta: { title: string; kind: string; difficulty: string; programs: { file: string; note: string }[] };
  hidden: StdioTest[];
  programs: ExampleProgram[];
}

function programsIn(folder: URL): ExampleProgram[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      name,
      language: LANGUAGES[name.split(".").at(-1) as string] as SourceLanguage,
      code: readFileSync(new URL(name, folder), "utf8"),
    }));
}

export const folderProblems: FolderProblem[] = readdirSync(PROBLEMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name: id }) => {
    const read = (name: string) => readFileSync(new URL(`${id}/${name}`, PROBLEMS), "utf8");
    return {
      id,
      statement: read("statement.txt"),
      meta: JSON.parse(read("meta.json")),
      hidden: JSON.parse(read("hidden-tests.json")),
      programs: programsIn(new URL(`${id}/programs/`, PROBLEMS)),
    };
  });

const candidates = (await loadProblems()).flatMap(({ id, language, rollouts }): ExampleProgram[] =>
  rollouts.flatMap(({ text, file }) => {
    const { candidate } = extractCandidate(text, DEFAULT_SPEC.candidate, language);
    return candidate === null ? [] : [{ name: `${id}/${file}`, language, code: candidate }];
  }),
);

/** Every Python and JavaScript program of this repository's problems. */
export const scriptPrograms: ExampleProgram[] = [
  ...candidates,
  ...folderProblems.flatMap(({ id, programs }) => programs.map((each) => ({ ...each, name: `${id}/${each.name}` }))),
];

/** The programs in all four languages. */
export const programs: ExampleProgram[] = [...scriptPrograms, ...programsIn(new URL("./programs/", import.meta.url))];

const LIMITS = { timeout_ms: 1_000, memory_mb: 256, output_bytes: 262_144 };

/** Runs a script on tests. Throws when the sandbox itself failed. */
export async function runScript(
  sandbox: Sandbox,
  { language, code }: Pick<ExampleProgram, "language" | "code">,
  tests: readonly StdioTest[],
): Promise<TestResult[]> {
  const program = { language, source: code } as Program;
  const results = await runTests(sandbox, program, tests, LIMITS);
  const failed = results.find(({ status }) => status === "unavailable");
  if (failed !== undefined) throw new Error(`the sandbox could not run a program: ${failed.error}`);
  return results;
}

export const passRate = (results: readonly TestResult[]): number =>
  results.filter(({ passed }) => passed).length / results.length;
