// Reads the public CodeContests+ layout, exported as JSON lines: a problem a row with its tests and
// submissions. Trusts no verdict in it.
import * as z from "zod";
import { readJsonl } from "../format/jsonl.ts";
import { newCandidate } from "../format/pool-format.ts";
import { PEOPLE } from "./problem-folders.ts";
import { languageNamed, type Source } from "./source.ts";

/** Arrow exports a list of structs either as such or as a struct of lists; both are read. */
function listOfStructs<S extends z.ZodRawShape>(shape: S) {
  const columns = z.record(z.string(), z.array(z.unknown())).transform((fields) => {
    const length = Math.max(0, ...Object.values(fields).map((column) => column.length));
    return Array.from({ length }, (_, i) =>
      Object.fromEntries(Object.entries(fields).map(([name, column]) => [name, column[i]])),
    );
  });
  return z.preprocess((value) => columns.safeParse(value).data ?? value, z.array(z.object(shape)));
}

const Submissions = listOfStructs({ language: z.string(), code: z.string().min(1) });

const RowSchema = z.object({
  source: z.string().min(1).default("code-contests-plus"),
  id: z.string().min(1).max(128),
  title: z.string().default(""),
  description: z.string().min(1),
  test_cases: listOfStructs({ input: z.string(), output: z.string() }).refine((all) => all.length > 0, "no tests"),
  correct_submissions: Submissions.default([]),
  incorrect_submissions: Submissions.default([]),
  difficulty: z.union([z.string().min(1), z.number()]).nullish(),
  true_positive_rate: z.number().min(0).max(1).nullish(),
  true_negative_rate: z.number().min(0).max(1).nullish(),
  /** Milliseconds. */
  time_limit: z.number().positive().nullish(),
});
type Row = z.output<typeof RowSchema>;

export interface CodeContestsOptions {
  /** Languages to take, in our words. */
  languages: readonly string[];
  /** Submissions taken of each problem, language and verdict, in the row's order. */
  submissions_max: number;
  /** Tests taken of each problem, in the row's order. */
  tests_max: number;
}

async function* submissionsOf(row: Row, { languages, submissions_max }: CodeContestsOptions) {
  for (const declared of ["right", "wrong"] as const) {
    const taken = new Map<string, number>();
    for (const { language: name, code } of declared === "right" ? row.correct_submissions : row.incorrect_submissions) {
      const language = languageNamed(name);
      const count = taken.get(language ?? "") ?? 0;
      if (language === null || !languages.includes(language) || count >= submissions_max) continue;
      taken.set(language, count + 1);
      yield { candidate: await newCandidate({ problem_id: row.id, language, generator: PEOPLE, code, declared }) };
    }
  }
}

/**
 * Problems of a CodeContests+ export. Its checkers are C++ programs and are not run: outputs are
 * compared, and filters drop what that breaks.
 */
export function codeContests(file: string, options: CodeContestsOptions): Source {
  return async function* (omissions) {
    for await (const row of readJsonl(file, RowSchema, omissions)) {
      const { id, title, description, test_cases, difficulty, source } = row;
      const optionalFields = {
        true_positive_rate: row.true_positive_rate,
        true_negative_rate: row.true_negative_rate,
        time_limit_ms: row.time_limit,
      };
      yield {
        problem: {
          problem_id: id,
          prompt: title === "" ? description : `# ${title}\n\n${description}`,
          difficulty: difficulty == null ? null : String(difficulty),
          languages: [],
          tests: test_cases.slice(0, options.tests_max).map(({ input, output }) => ({ kind: "stdio", input, output })),
          source,
          ...Object.fromEntries(Object.entries(optionalFields).filter(([, value]) => value != null)),
        },
      };
      yield* submissionsOf(row, options);
    }
  };
}
