// Builds a set from a measured pool: filters, lists, splits, cells, adversarial lists, and the files with
// their manifest. Reads no source.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import { writeJsonl } from "../format/jsonl.ts";
import { ADVERSARIAL_FILE, LISTS_FILE, MANIFEST_FILE, type PoolProblem } from "../format/pool-format.ts";
import { SET_FORMAT, type SetList, type SetManifest, SPLITS } from "../format/set-format.ts";
import { adversarialBases, adversarialLists } from "./adversarial-lists.ts";
import { type CellSizes, countCells, evenCells, type SplitList } from "./cells.ts";
import { type Filters, type Reasons, usable } from "./filters.ts";
import { listFigures } from "./list-report.ts";
import { drawLists } from "./lists.ts";
import type { Meter } from "./measuring.ts";
import { type Log, type Pool, writePoolFiles } from "./pool.ts";
import { isSampled, samplersOf } from "./samplers.ts";
import { assignSplits, type Shares } from "./splits.ts";

/** Everything besides the pool that decides a set's files. */
export interface BuildOptions {
  name: string;
  seed: number;
  shares: Shares;
  cell_sizes: CellSizes;
  /** Whether all cells of a split and bucket are brought down to the smallest. */
  level: boolean;
  /** See DrawOptions: what is drawn before cells choose among it. */
  per_source_max: number;
  /** Test lists of each bucket and length that are modified. */
  adversarial_per_length: number;
  /** The same under a modification and a side that a lot draws; absent: none. */
  random_side_per_length?: number;
  /** Whether the manifest says how alike and how long the programs of its lists are. */
  likeness?: boolean;
  /** Generators whose lists are in the test split alone, marked as strong; absent: none is marked. */
  strong?: readonly string[];
  filters: Filters;
}

const PLACE = Object.fromEntries(SPLITS.map((split, index) => [split, index]));

const orderOf = ({ split, bucket, candidates, language, list_id }: SetList): string =>
  [PLACE[split], bucket, candidates.length, language, list_id].join("\u0000");

async function setListOf(list: SplitList, problem: PoolProblem): Promise<SetList> {
  const { split, bucket, problem_id, language, generator, strength } = list;
  const candidates = list.candidates.map(({ candidate_id, code, pass_rate }) => {
    if (pass_rate === null) throw new Error(`candidate ${candidate_id} in a list has no pass rate`);
    return { candidate_id, code, pass_rate };
  });
  const ids = candidates.map(({ candidate_id }) => candidate_id);
  const list_id = (await sha256Hex(JSON.stringify([bucket, ids]))).slice(0, 16);
  const { difficulty, prompt } = problem;
  const strengthField = strength === undefined ? {} : { strength };
  return { list_id, split, bucket, problem_id, language, generator, ...strengthField, difficulty, prompt, candidates };
}

/** The lists of a usable pool, in the order of split, bucket, length, language and id. */
export async function buildLists({ problems, candidates }: Pool, options: BuildOptions): Promise<SetList[]> {
  const { seed, shares, cell_sizes, level, per_source_max, strong } = options;
  const byId = new Map(problems.map((problem) => [problem.problem_id, problem]));
  const languages = Map.groupBy(candidates, ({ problem_id }) => problem_id);
  const strata = problems.map(({ problem_id }) => {
    const names = new Set(languages.get(problem_id)?.map(({ language }) => language));
    return { problem_id, stratum: [...names].sort().join() };
  });
  const splits = assignSplits(strata, shares, seed);
  const drawn = drawLists(candidates, { seed, per_source_max }).flatMap((list) => {
    const split = splits.get(list.problem_id);
    if (split === undefined || strong === undefined) return split === undefined ? [] : [{ ...list, split }];
    const strength = strong.includes(list.generator) ? "strong" : "weak";
    return strength === "strong" && split !== "test" ? [] : [{ ...list, split, strength } as const];
  });
  const selectedLists = evenCells(drawn, cell_sizes, { seed, level });
  const lists = await Promise.all(
    selectedLists.map((list) => setListOf(list, byId.get(list.problem_id) as PoolProblem)),
  );
  return lists.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** Problems and candidates by source and generator, as the manifest tells them. */
function sourcesOf({ problems, candidates }: Pool): { source: string; problems: number; candidates: Reasons }[] {
  return [...Map.groupBy(problems, ({ source }) => source)].map(([source, ofSource]) => {
    const ids = new Set(ofSource.map(({ problem_id }) => problem_id));
    const counts: Reasons = {};
    for (const { problem_id, generator } of candidates) {
      if (ids.has(problem_id)) counts[generator] = (counts[generator] ?? 0) + 1;
    }
    return { source, problems: ofSource.length, candidates: counts };
  });
}

function logLeftOut(log: Log, what: string, reasons: Reasons): void {
  const parts = Object.entries(reasons).map(([reason, count]) => `${count} ${reason}`);
  if (parts.length > 0) log(`excluded ${what}: ${parts.join("; ")}`);
}

/**
 * A manifest as this tool writes it: with the options, so that a rebuild can tell whether it is
 * one.
 */
export type BuiltManifest = SetManifest & { options: BuildOptions };

/**
 * Builds the set into `folder` and returns its manifest. Same pool, options and command give the
 * same bytes. `meter` runs modified programs. Throws when no list can be made.
 */
export async function buildSet(
  meter: Meter,
  pool: Pool,
  options: BuildOptions,
  { folder, command, log }: { folder: string; command: string; log: Log },
): Promise<BuiltManifest> {
  const { problems, candidates, left_out } = usable(pool.problems, pool.candidates, options.filters);
  logLeftOut(log, "problems", left_out.problems);
  logLeftOut(log, "candidates", left_out.candidates);
  const lists = await buildLists({ problems, candidates }, options);
  if (lists.length === 0)
    throw new Error("no list can be made: no problem has both a right program and a wrong one within a bucket");
  const bases = adversarialBases(lists, {
    split: "test",
    per_length: options.adversarial_per_length,
    seed: options.seed,
  });
  const mixed = adversarialBases(lists, {
    split: "test",
    per_length: options.random_side_per_length ?? 0,
    seed: options.seed,
  });
  const adversarial = await adversarialLists(meter, { bases, mixed }, problems, options.seed);
  logLeftOut(log, "adversarial lists", adversarial.left_out);
  mkdirSync(folder, { recursive: true });
  const files = {
    ...(await writePoolFiles(folder, { problems, candidates })),
    [LISTS_FILE]: await writeJsonl(join(folder, LISTS_FILE), lists),
    [ADVERSARIAL_FILE]: await writeJsonl(join(folder, ADVERSARIAL_FILE), adversarial.lists),
  };
  const manifest: BuiltManifest = {
    format: SET_FORMAT,
    name: options.name,
    seed: options.seed,
    command,
    files,
    cells: countCells(lists),
    sources: sourcesOf({ problems, candidates }),
    ...(options.likeness === true && { likeness: listFigures(lists, null) }),
    ...(candidates.some(isSampled) && { samplers: samplersOf(candidates) }),
    options,
  };
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}
