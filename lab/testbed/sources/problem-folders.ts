// Reads this repository's own problems, one folder each (problems/examples, problems/sets).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import * as z from "zod";
import { extractCandidate } from "../../../src/core/candidate/extract.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import {
  newCandidate,
  type PoolCandidate,
  type PoolProblem,
  PoolProblemSchema,
  PoolTestSchema,
} from "../format/pool-format.ts";
import { languageNamed, type Source } from "./source.ts";

/** What is read of meta.json; the rest is for people. */
const MetaSchema = z.object({
  difficulty: z.string().min(1).optional(),
  language: z.string().min(1).optional(),
});

/** The generator of programs that were written by hand. */
export const PEOPLE = "people";

function problemOf(folder: string, problem_id: string, source: string): PoolProblem {
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const { difficulty, language } = MetaSchema.parse(JSON.parse(read("meta.json")));
  return PoolProblemSchema.parse({
    problem_id,
    prompt: read("statement.txt"),
    difficulty: difficulty ?? null,
    languages: language === undefined ? [] : [language],
    tests: z.array(PoolTestSchema).parse(JSON.parse(read("hidden-tests.json"))),
    source,
  });
}

const sortedFiles = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

/**
 * The programs of a folder: files under programs/, and whatever can be extracted from the texts
 * under rollouts/.
 */
async function candidatesOf(folder: string, problem: PoolProblem): Promise<PoolCandidate[]> {
  const { problem_id } = problem;
  const programs = sortedFiles(join(folder, "programs")).flatMap((file) => {
    const language = languageNamed(extname(file).slice(1));
    return language === null ? [] : [{ language, code: readFileSync(join(folder, "programs", file), "utf8") }];
  });
  const [language = null] = problem.languages;
  const rollouts = sortedFiles(join(folder, "rollouts")).flatMap((file) => {
    const text = readFileSync(join(folder, "rollouts", file), "utf8");
    const { candidate } = extractCandidate(text, DEFAULT_SPEC.candidate, language);
    return candidate === null || language === null ? [] : [{ language, code: candidate }];
  });
  return Promise.all(
    [...programs, ...rollouts].map(({ language, code }) =>
      newCandidate({ problem_id, language, generator: PEOPLE, code: code.trimEnd() }),
    ),
  );
}

/**
 * The problems under `root`, by folder name; a folder that lacks a file or holds a wrong one is an
 * omission.
 */
export function problemFolders(root: string): Source {
  return async function* (omissions) {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const name of folders.map((folder) => folder.name).sort()) {
      const folder = join(root, name);
      let problem: PoolProblem;
      try {
        problem = problemOf(folder, name, root);
      } catch (error) {
        omissions.add("malformed problem", `${folder} (${error instanceof Error ? error.message : error})`);
        continue;
      }
      yield { problem };
      for (const candidate of await candidatesOf(folder, problem)) yield { candidate };
    }
  };
}
