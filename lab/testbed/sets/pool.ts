// A pool in memory and on disk: problems with their candidates, and how one grows by measuring and mutating.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseExactJson } from "../format/exact-json.ts";
import { Omissions, readAllJsonl, writeJsonl } from "../format/jsonl.ts";
import {
  ADVERSARIAL_FILE,
  CANDIDATES_FILE,
  type PoolCandidate,
  PoolCandidateSchema,
  type PoolProblem,
  PoolProblemSchema,
  PROBLEMS_FILE,
  slimRow,
} from "../format/pool-format.ts";
import { AdversarialListSchema } from "../format/set-format.ts";
import { readSource, type Source } from "../sources/source.ts";
import { type Meter, measureCandidates, recordedTally } from "./measuring.ts";
import { chainedMutants, MUTATION, singleMutants } from "./mutating.ts";

export interface Pool {
  problems: PoolProblem[];
  candidates: PoolCandidate[];
}

export type Log = (line: string) => void;

/** Throws when a file is missing or a row malformed. */
export async function readPool(folder: string): Promise<Pool> {
  return {
    problems: await readAllJsonl(join(folder, PROBLEMS_FILE), PoolProblemSchema, parseExactJson),
    candidates: await readAllJsonl(join(folder, CANDIDATES_FILE), PoolCandidateSchema),
  };
}

/** Writes both files; what they hold is in the result, by file name. */
export async function writePoolFiles(
  folder: string,
  { problems, candidates }: Pool,
): Promise<Record<string, { sha256: string; rows: number }>> {
  return {
    [PROBLEMS_FILE]: await writeJsonl(join(folder, PROBLEMS_FILE), problems),
    [CANDIDATES_FILE]: await writeJsonl(join(folder, CANDIDATES_FILE), candidates.map(slimRow)),
  };
}

/** A pool from small sources, each told what it left out. */
export async function poolOf(sources: readonly Source[], log: Log): Promise<Pool> {
  const pool: Pool = { problems: [], candidates: [] };
  for (const source of sources) {
    const omissions = new Omissions();
    const { problems, candidates } = await readSource(source, omissions);
    for (const line of omissions.report()) log(line);
    pool.problems.push(...problems);
    pool.candidates.push(...candidates);
  }
  return pool;
}

/** Lets the meter know what the pool's rows say, so that their programs are not run again. */
export async function rememberPool(meter: Meter, { problems, candidates }: Pool): Promise<void> {
  const testsOf = new Map(problems.map(({ problem_id, tests }) => [problem_id, tests]));
  for (const candidate of candidates) {
    const [tests, tally] = [testsOf.get(candidate.problem_id), recordedTally(candidate)];
    if (tests !== undefined && tally !== null) await meter.remember(candidate, tests, tally);
  }
}

/**
 * Tells the meter that the modified programs of a set's adversarial lists did as their originals; they would
 * not be there if they had not. Does nothing for a pool that is not a set.
 */
export async function rememberAdversarial(meter: Meter, folder: string, { problems, candidates }: Pool): Promise<void> {
  const path = join(folder, ADVERSARIAL_FILE);
  if (!existsSync(path)) return;
  const testsOf = new Map(problems.map(({ problem_id, tests }) => [problem_id, tests]));
  const rowOf = new Map(candidates.map((candidate) => [candidate.candidate_id, candidate]));
  for (const { problem_id, language, candidates: members } of await readAllJsonl(path, AdversarialListSchema)) {
    for (const { candidate_id, code } of members) {
      const [tests, row] = [testsOf.get(problem_id), rowOf.get(candidate_id)];
      const tally = row && recordedTally(row);
      if (tests !== undefined && tally != null) await meter.remember({ language, code }, tests, tally);
    }
  }
}

const PROGRESS_EVERY = 200;

/** The pool with every candidate measured. */
export async function measurePool(meter: Meter, pool: Pool, log: Log): Promise<Pool> {
  const candidates = await measureCandidates(meter, pool.problems, pool.candidates, (done, all) => {
    if (done % PROGRESS_EVERY === 0 || done === all) log(`measured ${done} of ${all} (${meter.runs} runs)`);
  });
  return { problems: pool.problems, candidates };
}

export interface MutationOptions {
  seed: number;
  /** Single mutants of each problem and language. */
  mutants: number;
  /** Mutants of mutants of each problem and language. */
  chained: number;
}

/** A measured pool with measured mutants in place of those it had, if any. */
export async function mutatePool(meter: Meter, pool: Pool, options: MutationOptions, log: Log): Promise<Pool> {
  const { seed, mutants, chained } = options;
  const { problems } = pool;
  const given = pool.candidates.filter(({ generator }) => generator !== MUTATION);
  log(`creating up to ${mutants} mutants and ${chained} mutants of mutants per problem and language`);
  const single = await measurePool(
    meter,
    { problems, candidates: await singleMutants(given, { seed, count: mutants }) },
    log,
  );
  const sofar = [...given, ...single.candidates];
  const chain = await measurePool(
    meter,
    { problems, candidates: await chainedMutants(sofar, { seed, count: chained }) },
    log,
  );
  // A second mistake can undo the first, and two ways can lead to one program: it stays what it was
  // with fewer mistakes, or none.
  const byId = new Map([...chain.candidates, ...sofar].map((candidate) => [candidate.candidate_id, candidate]));
  return { problems, candidates: [...byId.values()] };
}
