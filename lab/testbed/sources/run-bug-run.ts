// Reads the RunBugRun layout: rows of buggy and fixed programs, of tests and of descriptions. Trusts no
// verdict in it.
import { basename } from "node:path";
import * as z from "zod";
import { readJsonl } from "../format/jsonl.ts";
import { newCandidate, type PoolTest } from "../format/pool-format.ts";
import { PEOPLE } from "./problem-folders.ts";
import { languageNamed, type Source } from "./source.ts";

/** The language column of the database, an index into this list. */
const LANGUAGE_CODES = ["c", "cpp", "javascript", "java", "ruby", "python", "php", "go", "c_sharp"];

const BugSchema = z.object({
  problem_id: z.string().min(1).max(128),
  buggy_code: z.string().min(1),
  fixed_code: z.string().min(1),
  language: z.union([z.int().min(0), z.string().min(1)]).optional(),
});
const TestSchema = z.object({ problem_id: z.string().min(1), input: z.string(), output: z.string() });
const DescriptionSchema = z.object({ problem_id: z.string().min(1), text: z.string().min(1) });

export interface RunBugRunFiles {
  /** bugs, as python_train0.jsonl.gz or an export of the table `bugs`. */
  bugs: string;
  tests: string;
  /** The table `problems`; without a description a problem has no prompt and is left out. */
  descriptions: string;
}

/** The row's own language, else the one at the start of the file's name. */
function languageOf(row: z.output<typeof BugSchema>, file: string): string | null {
  const { language = /^[a-z]+/.exec(basename(file))?.[0] ?? "" } = row;
  return languageNamed(typeof language === "number" ? (LANGUAGE_CODES[language] ?? "") : language);
}

/**
 * Right/buggy pairs: each fixed program is declared right, each buggy one wrong. Tests and
 * descriptions are held in memory.
 */
export function runBugRun(files: RunBugRunFiles, options: { languages: readonly string[]; tests_max: number }): Source {
  return async function* (omissions) {
    const tests = new Map<string, PoolTest[]>();
    for await (const { problem_id, input, output } of readJsonl(files.tests, TestSchema, omissions)) {
      const known = tests.get(problem_id) ?? [];
      if (known.length < options.tests_max) known.push({ kind: "stdio", input, output });
      tests.set(problem_id, known);
    }
    const texts = new Map<string, string>();
    for await (const { problem_id, text } of readJsonl(files.descriptions, DescriptionSchema, omissions)) {
      texts.set(problem_id, text);
    }
    const given = new Set<string>();
    for await (const row of readJsonl(files.bugs, BugSchema, omissions)) {
      const { problem_id } = row;
      const language = languageOf(row, files.bugs);
      if (language === null || !options.languages.includes(language)) continue;
      const [prompt, ofProblem] = [texts.get(problem_id), tests.get(problem_id)];
      if (prompt === undefined || ofProblem === undefined) {
        omissions.add(prompt === undefined ? "bug without a description" : "bug without tests", problem_id);
        continue;
      }
      if (!given.has(problem_id)) {
        given.add(problem_id);
        yield {
          problem: { problem_id, prompt, difficulty: null, languages: [], tests: ofProblem, source: "run-bug-run" },
        };
      }
      const common = { problem_id, language, generator: PEOPLE };
      yield { candidate: await newCandidate({ ...common, code: row.fixed_code, declared: "right" }) };
      yield { candidate: await newCandidate({ ...common, code: row.buggy_code, declared: "wrong" }) };
    }
  };
}
