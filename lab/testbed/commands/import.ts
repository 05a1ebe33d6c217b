// `testbed import`: a public layout written down as a pool. Runs no program.
import { makeFolder } from "../../../scripts/command-line/out-folder.ts";
import { codeContests } from "../sources/code-contests.ts";
import { jsonlRows } from "../sources/jsonl-rows.ts";
import { problemFolders } from "../sources/problem-folders.ts";
import { quixBugs } from "../sources/quix-bugs.ts";
import { runBugRun } from "../sources/run-bug-run.ts";
import { type Source, writePool } from "../sources/source.ts";
import { type Command, log, readOptions, required, UsageError, wholeNumber } from "./command.ts";

const OPTIONS = {
  from: { type: "string" },
  path: { type: "string" },
  problems: { type: "string" },
  candidates: { type: "string" },
  bugs: { type: "string" },
  tests: { type: "string" },
  descriptions: { type: "string" },
  languages: { type: "string" },
  "submissions-max": { type: "string" },
  "tests-max": { type: "string" },
  out: { type: "string" },
} as const;

const HELP = `  --from LAYOUT           jsonl | code-contests | run-bug-run | quix-bugs | folders
  --out DIR               the pool: problems.jsonl and candidates.jsonl
  --path PATH             code-contests: a .jsonl or .jsonl.gz file; quix-bugs, folders: a directory
  --problems, --candidates FILE           jsonl
  --bugs, --tests, --descriptions FILE    run-bug-run
  --languages A,B         languages to import (default python,javascript,cpp,java)
  --submissions-max N     code-contests: maximum submissions per problem, language and verdict (default 50)
  --tests-max N           maximum tests per problem (default 200)

Examples
  npm run lab -- testbed import --from code-contests --path ccplus_1x.jsonl.gz --out pools/ccplus
  npm run lab -- testbed import --from run-bug-run --bugs python_train0.jsonl.gz --tests tests.jsonl.gz --descriptions problems.jsonl --out pools/rbr
  npm run lab -- testbed import --from quix-bugs --path QuixBugs --out pools/quixbugs
  npm run lab -- testbed import --from jsonl --problems mine.jsonl --candidates samples.jsonl --out pools/mine`;

const LANGUAGES = "python,javascript,cpp,java";

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>["values"];

function sourceOf(values: Values): Source {
  const languages = (values.languages ?? LANGUAGES).split(",");
  const submissions_max = wholeNumber(values["submissions-max"], "submissions-max", 50, [1, 100_000]);
  const tests_max = wholeNumber(values["tests-max"], "tests-max", 200, [1, 100_000]);
  const path = (): string => required(values.path, "path");
  switch (values.from) {
    case "jsonl":
      return jsonlRows(required(values.problems, "problems"), required(values.candidates, "candidates"));
    case "code-contests":
      return codeContests(path(), { languages, submissions_max, tests_max });
    case "run-bug-run": {
      const files = {
        bugs: required(values.bugs, "bugs"),
        tests: required(values.tests, "tests"),
        descriptions: required(values.descriptions, "descriptions"),
      };
      return runBugRun(files, { languages, tests_max });
    }
    case "quix-bugs":
      return quixBugs(path());
    case "folders":
      return problemFolders(path());
    default:
      throw new UsageError("--from must be jsonl, code-contests, run-bug-run, quix-bugs or folders");
  }
}

export const importCommand: Command = {
  summary: "import a source of problems and programs as a pool",
  help: HELP,
  async run(args) {
    const { values } = readOptions(args, OPTIONS);
    const source = sourceOf(values);
    const out = required(values.out, "out");
    makeFolder("--out", out);
    const { problems, candidates, omissions } = await writePool(source, out);
    for (const line of omissions.report()) log(line);
    console.log(`${out}: ${problems} problems, ${candidates} candidates`);
    return problems > 0 ? 0 : 1;
  },
};
