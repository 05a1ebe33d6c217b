// Defines what a source of problems gives and how it is written down as a pool.
import { join } from "node:path";
import { JsonlWriter, Omissions } from "../format/jsonl.ts";
import {
  CANDIDATES_FILE,
  type PoolCandidate,
  type PoolProblem,
  PROBLEMS_FILE,
  slimRow,
} from "../format/pool-format.ts";

export type Imported = { problem: PoolProblem } | { candidate: PoolCandidate };

/**
 * One thing after the other, so that a source larger than memory can be read; what does not fit
 * goes into `omissions`.
 */
export type Source = (omissions: Omissions) => AsyncGenerator<Imported>;

/** The language names of the public sets, in ours. */
const LANGUAGES: Record<string, string> = {
  python: "python",
  python3: "python",
  py3: "python",
  py: "python",
  js: "javascript",
  javascript: "javascript",
  nodejs: "javascript",
  "c++": "cpp",
  cpp: "cpp",
  java: "java",
  c: "c",
  go: "go",
  ruby: "ruby",
  rb: "ruby",
  php: "php",
  csharp: "csharp",
  c_sharp: "csharp",
  "c#": "csharp",
  rust: "rust",
  rs: "rust",
};

/** A source's language in our words; null for one that we do not know, such as Python 2. */
export function languageNamed(name: string): string | null {
  return LANGUAGES[name.trim().toLowerCase()] ?? null;
}

/**
 * Writes a source's problems.jsonl and candidates.jsonl into `folder`. Candidates that come twice
 * are written once, and so are problems; the second of a problem is an omission. Rejects when the
 * source or the folder cannot be used.
 */
export async function writePool(
  source: Source,
  folder: string,
): Promise<{ problems: number; candidates: number; omissions: Omissions }> {
  const omissions = new Omissions();
  const problems = new JsonlWriter(join(folder, PROBLEMS_FILE));
  const candidates = new JsonlWriter(join(folder, CANDIDATES_FILE));
  const seen = new Set<string>();
  for await (const each of source(omissions)) {
    const [writer, row, key] =
      "problem" in each
        ? [problems, each.problem, `problem ${each.problem.problem_id}`]
        : [candidates, slimRow(each.candidate), each.candidate.candidate_id];
    if (seen.has(key)) {
      if ("problem" in each) omissions.add("duplicate problem", key);
      continue;
    }
    seen.add(key);
    await writer.write(row);
  }
  const [written, programs] = [await problems.close(), await candidates.close()];
  return { problems: written.rows, candidates: programs.rows, omissions };
}

/** All of a source in memory, for the small ones. */
export async function readSource(
  source: Source,
  omissions: Omissions,
): Promise<{ problems: PoolProblem[]; candidates: PoolCandidate[] }> {
  const problems: PoolProblem[] = [];
  const candidates: PoolCandidate[] = [];
  for await (const each of source(omissions)) {
    if ("problem" in each) problems.push(each.problem);
    else candidates.push(each.candidate);
  }
  return { problems, candidates };
}
