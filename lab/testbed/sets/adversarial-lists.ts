// Decides which lists become adversarial ones and the proof that a modified program still behaves as before.

import { canonicalJson } from "../../../src/core/contract/canonical-json.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { MODIFICATION_LANGUAGES, MODIFICATIONS, type Modification } from "../adversarial/modifications.ts";
import { modify } from "../adversarial/modify.ts";
import { mapBounded } from "../engines/bounded.ts";
import type { Program } from "../engines/engine.ts";
import type { PoolProblem, PoolTest } from "../format/pool-format.ts";
import { type AdversarialList, RANDOM_SIDE, type SetCandidate, type SetList, SIDES } from "../format/set-format.ts";
import type { SourceLanguage } from "../syntax/grammar.ts";
import type { Reasons } from "./filters.ts";
import type { Meter } from "./measuring.ts";
import type { Split } from "./splits.ts";

/** `per_length` of the split's lists for each bucket and length, by a hash of their ids. */
export function adversarialBases(
  lists: readonly SetList[],
  { split, per_length, seed }: { split: Split; per_length: number; seed: number },
): SetList[] {
  const place = ({ list_id }: SetList): number => hashText("adversarial", seed, list_id)[0];
  const groups = Map.groupBy(
    lists.filter((list) => list.split === split),
    ({ bucket, candidates }) => `${bucket} ${candidates.length}`,
  );
  return [...groups.values()].flatMap((group) => group.toSorted((a, b) => place(a) - place(b)).slice(0, per_length));
}

/**
 * Indices of the candidates a modification is put on: all wrong ones of a list, or the right one.
 */
export function targetsOf(modification: Pick<Modification, "direction">, list: Pick<SetList, "candidates">): number[] {
  return targetsAt(sideOf(modification), list);
}

type Side = (typeof SIDES)[number];

const sideOf = ({ direction }: Pick<Modification, "direction">): Side => (direction === "negative" ? "right" : "wrong");

/** Indices of a list's right program, or of all wrong ones. */
export function targetsAt(side: Side, list: Pick<SetList, "candidates">): number[] {
  return list.candidates.flatMap(({ pass_rate }, index) => ((pass_rate === 1) === (side === "right") ? [index] : []));
}

/** One of the kept modifications and a side, by lot: as often where it speaks true as where it lies. */
function lotOf({ list_id }: SetList, seed: number): { modification: Modification; side: Side } {
  const random = createRandom(hashText(RANDOM_SIDE, seed, list_id));
  const keptModifications = MODIFICATIONS.filter((modification) => modification.isKeptByPaper);
  const modification = keptModifications[Math.floor(random() * keptModifications.length)] as Modification;
  return { modification, side: SIDES[random() < 0.5 ? 0 : 1] };
}

const isSourceLanguage = (language: string): language is SourceLanguage =>
  (MODIFICATION_LANGUAGES as readonly string[]).includes(language);

/**
 * Null when running the modified program shows what the original shows; else why it may not be
 * used.
 */
async function changeOf(
  meter: Meter,
  original: Program,
  modified: Program,
  tests: readonly PoolTest[],
): Promise<string | null> {
  // Where nothing runs the language, the equal tokens that `modify` has shown are the proof.
  if (!meter.engine.runs(original.language)) return null;
  const [before, after] = [await meter.measure(original, tests), await meter.measure(modified, tests)];
  if (before.tally === null || after.tally === null) return "unmeasured";
  return canonicalJson(before.tally) === canonicalJson(after.tally) ? null : "other test results";
}

interface Wanted {
  list: SetList;
  modification: Modification;
  side: Side;
  /** The list's name: the modification's own, or RANDOM_SIDE. */
  name: string;
}

async function modifiedList(
  meter: Meter,
  { list, modification, side, name }: Wanted,
  tests: readonly PoolTest[],
  seed: number,
): Promise<AdversarialList | string> {
  const isLot = name === RANDOM_SIDE;
  const { language } = list;
  if (!isSourceLanguage(language)) return `no parser for ${language}`;
  const candidates: SetCandidate[] = [...list.candidates];
  for (const index of targetsAt(side, list)) {
    const candidate = list.candidates[index] as SetCandidate;
    const { code, applied, reason } = modify(candidate.code, language, modification.name, { seed });
    if (!applied) return reason ?? "not applicable";
    const change = await changeOf(meter, { language, code: candidate.code }, { language, code }, tests);
    if (change !== null) return change;
    candidates[index] = { ...candidate, code };
  }
  const target_index = side === "right" ? (targetsAt(side, list)[0] ?? null) : null;
  const isKept = !isLot && modification.isKeptByPaper;
  const lot = isLot ? { drawn: modification.name, side } : {};
  const list_id = `${list.list_id}-${name}`;
  return {
    ...list,
    list_id,
    candidates,
    base_list_id: list.list_id,
    modification: name,
    kept: isKept,
    target_index,
    ...lot,
  };
}

/**
 * Each base list under each modification, in that order, then each mixed list under one drawn modification.
 * Every modified program keeps its original's tokens (ensured by `modify`) and, if the engine runs the
 * language, its outcomes on all tests; otherwise its list is excluded, counted by modification and reason.
 */
export async function adversarialLists(
  meter: Meter,
  { bases, mixed = [] }: { bases: readonly SetList[]; mixed?: readonly SetList[] },
  problems: readonly PoolProblem[],
  seed: number,
): Promise<{ lists: AdversarialList[]; left_out: Reasons }> {
  const testsOf = new Map(problems.map(({ problem_id, tests }) => [problem_id, tests]));
  const wanted = [
    ...bases.flatMap((list) =>
      MODIFICATIONS.map((each): Wanted => ({ list, modification: each, side: sideOf(each), name: each.name })),
    ),
    ...mixed.map((list): Wanted => ({ list, ...lotOf(list, seed), name: RANDOM_SIDE })),
  ];
  const made = await mapBounded(wanted, meter.engine.concurrency, (item) =>
    modifiedList(meter, item, testsOf.get(item.list.problem_id) ?? [], seed),
  );
  const left_out: Reasons = {};
  const lists = made.flatMap((result, index) => {
    if (typeof result !== "string") return [result];
    const key = `${wanted[index]?.name}: ${result}`;
    left_out[key] = (left_out[key] ?? 0) + 1;
    return [];
  });
  return { lists, left_out };
}
