// The documented JSONL schema as a source: rows of problems and rows of candidates as anyone may write them.
import { parseExactJson } from "../format/exact-json.ts";
import { readJsonl } from "../format/jsonl.ts";
import { CandidateInputSchema, candidateId, PoolProblemSchema } from "../format/pool-format.ts";
import type { Source } from "./source.ts";

/**
 * Problems first, then the candidates of those problems. A candidate of an unknown problem is an
 * omission. Pass rates in the rows are dropped: whoever imports measures.
 */
export function jsonlRows(problemsFile: string, candidatesFile: string): Source {
  return async function* (omissions) {
    const known = new Set<string>();
    for await (const problem of readJsonl(problemsFile, PoolProblemSchema, omissions, parseExactJson)) {
      known.add(problem.problem_id);
      yield { problem };
    }
    for await (const row of readJsonl(candidatesFile, CandidateInputSchema, omissions)) {
      if (!known.has(row.problem_id)) {
        omissions.add("candidate with an unknown problem", row.problem_id);
        continue;
      }
      const fresh = { pass_rate: null, passed: null, total: null, failures: {}, unmeasured: null };
      yield { candidate: { ...row, ...fresh, candidate_id: await candidateId(row) } };
    }
  };
}
