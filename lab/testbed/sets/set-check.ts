// Defines what must hold of a set's files, whoever built them: hashes, references, splits, buckets, cells,
// adversarial lists. Runs nothing.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { normaliseCandidate } from "../../../src/core/candidate/extract.ts";
import { canonicalJson } from "../../../src/core/contract/canonical-json.ts";
import { MODIFICATIONS } from "../adversarial/modifications.ts";
import { readAllJsonl } from "../format/jsonl.ts";
import { ADVERSARIAL_FILE, LISTS_FILE, MANIFEST_FILE, statementKey } from "../format/pool-format.ts";
import {
  type AdversarialList,
  AdversarialListSchema,
  BUCKETS,
  RANDOM_SIDE,
  type SetList,
  SetListSchema,
  type SetManifest,
  SetManifestSchema,
} from "../format/set-format.ts";
import { targetsAt, targetsOf } from "./adversarial-lists.ts";
import { countCells } from "./cells.ts";
import { BUCKET_BOUNDS } from "./lists.ts";
import { type Pool, readPool } from "./pool.ts";

export interface SetContent extends Pool {
  manifest: SetManifest;
  lists: SetList[];
  adversarial: AdversarialList[];
}

/** All of a set; throws with the file, line and field when one does not have its shape. */
export async function readSetContent(folder: string): Promise<SetContent> {
  return {
    manifest: SetManifestSchema.parse(JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8"))),
    ...(await readPool(folder)),
    lists: await readAllJsonl(join(folder, LISTS_FILE), SetListSchema),
    adversarial: await readAllJsonl(join(folder, ADVERSARIAL_FILE), AdversarialListSchema),
  };
}

/** Files that are not what the manifest says. */
export function fileFaults(folder: string, { files }: SetManifest): string[] {
  return Object.entries(files).flatMap(([name, { sha256, rows }]) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [`${name} is missing`];
    const bytes = readFileSync(path);
    const actual = createHash("sha256").update(bytes).digest("hex");
    const lines = bytes.toString("utf8").split("\n").length - 1;
    return [
      ...(actual === sha256 ? [] : [`${name} has SHA-256 ${actual}, the manifest says ${sha256}`]),
      ...(lines === rows ? [] : [`${name} has ${lines} rows, the manifest says ${rows}`]),
    ];
  });
}

function repeated(values: readonly string[], what: string): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value)).map((value) => `${what} ${value} is duplicated`);
}

/** What is wrong with one list by itself, apart from what its schema says. */
export function listFaults({ list_id, bucket, candidates }: SetList): string[] {
  const [low, high] = BUCKET_BOUNDS[bucket];
  const outside = candidates.filter(({ pass_rate }) => pass_rate !== 1 && (pass_rate < low || pass_rate > high));
  const texts = new Set(candidates.map(({ code }) => normaliseCandidate(code)));
  return [
    ...outside.map(({ pass_rate }) => `list ${list_id}: pass rate ${pass_rate} is outside ${bucket} [${low}, ${high}]`),
    ...(texts.size === candidates.length ? [] : [`list ${list_id}: two candidates are identical programs`]),
  ];
}

/** Lists whose problem or candidates are not what problems.jsonl and candidates.jsonl say. */
function referenceFaults({ problems, candidates, lists }: SetContent): string[] {
  const problemOf = new Map(problems.map((problem) => [problem.problem_id, problem]));
  const candidateOf = new Map(candidates.map((candidate) => [candidate.candidate_id, candidate]));
  return lists.flatMap((list) => {
    const { list_id, problem_id, prompt, language, generator } = list;
    const sameSource = { problem_id, language, generator };
    const strangers = list.candidates.filter(({ candidate_id, code, pass_rate }) => {
      const row = candidateOf.get(candidate_id);
      const given = row && {
        code: row.code,
        pass_rate: row.pass_rate,
        problem_id: row.problem_id,
        language: row.language,
        generator: row.generator,
      };
      return given === undefined || canonicalJson(given) !== canonicalJson({ code, pass_rate, ...sameSource });
    });
    return [
      ...(problemOf.get(problem_id)?.prompt === prompt
        ? []
        : [`list ${list_id}: the prompt differs from problem ${problem_id}`]),
      ...strangers.map(
        ({ candidate_id }) => `list ${list_id}: candidate ${candidate_id} differs from candidates.jsonl`,
      ),
    ];
  });
}

/** Problems, or statements told under several ids, that more than one split has. */
export function splitFaults(lists: readonly Pick<SetList, "split" | "problem_id" | "prompt">[]): string[] {
  const shared = (keyOf: (list: (typeof lists)[number]) => string, what: string): string[] =>
    [...Map.groupBy(lists, keyOf)].flatMap(([key, group]) => {
      const splits = new Set(group.map(({ split }) => split));
      return splits.size > 1 ? [`${what} ${key.slice(0, 60)} is in ${[...splits].join(" and ")}`] : [];
    });
  return [
    ...shared(({ problem_id }) => problem_id, "problem"),
    ...shared(({ prompt }) => statementKey(prompt), "statement"),
  ];
}

function adversarialFaults({ lists, adversarial }: SetContent): string[] {
  const listOf = new Map(lists.map((list) => [list.list_id, list]));
  return adversarial.flatMap((row) => {
    const { list_id, base_list_id, modification: name, kept: isKept, target_index, drawn, side, ...fields } = row;
    const base = listOf.get(base_list_id);
    const modification = MODIFICATIONS.find((each) => each.name === (name === RANDOM_SIDE ? drawn : name));
    if (base === undefined) return [`adversarial list ${list_id}: list ${base_list_id} does not exist`];
    if (modification === undefined) return [`adversarial list ${list_id}: unknown modification ${drawn ?? name}`];
    const targets = side === undefined ? targetsOf(modification, base) : targetsAt(side, base);
    const expected = base.candidates.map(({ code }, i) =>
      targets.includes(i) && fields.candidates[i]?.code !== code ? fields.candidates[i]?.code : code,
    );
    const untouched = targets.filter((i) => fields.candidates[i]?.code === base.candidates[i]?.code);
    const asBase = {
      ...base,
      list_id,
      candidates: base.candidates.map((candidate, i) => ({ ...candidate, code: expected[i] })),
    };
    const isRight = base.candidates[targets[0] ?? -1]?.pass_rate === 1;
    const target = isRight ? (targets[0] ?? null) : null;
    const isLot = name === RANDOM_SIDE && side !== undefined;
    return [
      ...(canonicalJson(asBase) === canonicalJson({ list_id, ...fields })
        ? []
        : [`adversarial list ${list_id} differs from its base in more than the modified programs`]),
      ...(untouched.length === 0 ? [] : [`adversarial list ${list_id}: candidate ${untouched[0]} is not modified`]),
      ...(isKept === (!isLot && modification.isKeptByPaper) &&
      target_index === target &&
      (side === undefined) === !isLot
        ? []
        : [`adversarial list ${list_id}: kept or target_index is wrong`]),
    ];
  });
}

/** Everything that does not hold of a set's content; empty when the set is valid. */
export function contentFaults(content: SetContent): string[] {
  const { manifest, lists, adversarial, problems, candidates } = content;
  const buckets = new Set(lists.map(({ bucket }) => bucket));
  return [
    ...repeated(
      problems.map(({ problem_id }) => problem_id),
      "problem",
    ),
    ...repeated(
      candidates.map(({ candidate_id }) => candidate_id),
      "candidate",
    ),
    ...repeated(
      [...lists, ...adversarial].map(({ list_id }) => list_id),
      "list",
    ),
    ...lists.flatMap(listFaults),
    ...splitFaults(lists),
    ...referenceFaults(content),
    ...adversarialFaults(content),
    ...BUCKETS.filter((bucket) => !buckets.has(bucket)).map((bucket) => `no list is ${bucket}`),
    ...(canonicalJson(countCells(lists)) === canonicalJson(manifest.cells)
      ? []
      : ["the manifest's cell counts differ from the lists"]),
  ];
}
