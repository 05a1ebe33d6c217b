// One cell's figures from its answers: the metrics are figures/evaluation.ts's, clustered by problem. Pure.

import { hashText } from "../../src/core/math/random.ts";
import { kendallTauB } from "../../src/core/math/tau-b.ts";
import { clusteredRatio } from "../statistics/clusters.ts";
import type { SetList } from "../testbed/format/set-format.ts";
import type { Answer, AnswerStore } from "./asking/answers.ts";
import type { Cell } from "./asking/cells.ts";
import { isWrong } from "./asking/wrong-lists.ts";
import { dollarsFor, type Price } from "./cost.ts";
import { areaUnderRisk, coverageOf, type Judged, marginOf } from "./figures/coverage.ts";
import type { Estimate } from "./figures/estimate.ts";
import { type EvaluationList, evaluate } from "./figures/evaluation.ts";
import type { CellSummary, Outcomes, ProblemOutcomes } from "./summary.ts";

export interface Statistics {
  seed: number;
  /** Bootstrap resamples. */
  bootstrap: number;
  /** Shorter lists are in no tau-b: with two candidates it only repeats the accuracy. */
  tau_candidates_min: number;
}

export interface Row {
  list: SetList;
  answer: Answer;
}

/**
 * The figures of one cell over the lists asked. Lists without a full answer are counted and left
 * out.
 */
export function summariseCell(
  cell: Cell,
  lists: readonly SetList[],
  store: AnswerStore,
  statistics: Statistics,
  price: Price | null,
): CellSummary {
  const rows = lists.flatMap((list): Row[] => {
    const answer = store.get(list.list_id, cell.name);
    return answer === undefined ? [] : [{ list, answer }];
  });
  const failed = failuresOf(cell.name, lists, store);
  const failures = Object.values(failed).reduce((sum, n) => sum + n, 0);
  const { seed, bootstrap } = statistics;
  const metrics = evaluate({
    lists: rows.map((row) => evaluationList(row, statistics)),
    undefined_tau: "drop",
    bootstrap,
    seed,
  });
  const outcomes = outcomesOf(rows);
  const judged = rows.map((row) => judgedOf(row));
  return {
    ...metrics,
    cell: cell.name,
    formulation: cell.formulation,
    k: cell.k,
    both_orders: cell.both_orders,
    spec_hash: rows[0]?.answer.spec_hash ?? null,
    lists: rows.length,
    failed,
    missing: lists.length - rows.length - failures,
    list_acc_if_failed_wrong: rows.length === 0 ? null : outcomes.right / (rows.length + failures),
    outcomes,
    by_tag: withOutcomes(metrics.by_tag, rows),
    by_problem: outcomesByProblem(rows, statistics),
    position_flip_rate: cell.both_orders ? flipRate(rows, statistics) : null,
    coverage: coverageOf(judged, statistics),
    area_under_risk: areaUnderRisk(judged),
    ...usage(rows, price),
  };
}

/** Lists of the cell whose last answer failed, by code. */
export function failuresOf(
  cell: string,
  lists: readonly Pick<SetList, "list_id">[],
  store: Pick<AnswerStore, "failures">,
): Record<string, number> {
  const counts: Record<string, number> = {};
  const failures = store.failures(cell);
  for (const { list_id } of lists) {
    const code = failures.get(list_id);
    if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/** The paper's test sets: Strong by who wrote the programs, else Hard by the bucket, else Heldout. */
const shiftOf = ({ strength, bucket }: SetList) =>
  strength === "strong" ? "strong" : bucket === "hard" ? "hard" : "heldout";

const tagsOf = (list: SetList) => ({ ...ownTags(list), shift: shiftOf(list) });

const ownTags = ({ candidates, language, difficulty, generator, bucket, split }: SetList) => ({
  length: candidates.length,
  language,
  ...(difficulty != null && { difficulty }),
  generator,
  bucket,
  split,
});

/** A list as the metrics take it: win counts only where each candidate has one and lists are long enough. */
export function evaluationList({ list, answer }: Row, { tau_candidates_min }: Statistics): EvaluationList {
  const wins = answer.win_counts.filter((count) => count !== null);
  const ranked = wins.length === list.candidates.length && wins.length >= tau_candidates_min;
  return {
    pass_rates: list.candidates.map(({ pass_rate }) => pass_rate),
    selected: answer.selected,
    parsed: answer.parsed,
    generations: answer.generations,
    cluster: list.problem_id,
    tags: tagsOf(list),
    ...(ranked && { win_counts: wins }),
  };
}

function outcomesOf(rows: readonly Row[]): Outcomes {
  const outcomes = { right: 0, wrong: 0, no_selection: 0 };
  for (const row of rows) {
    outcomes[row.answer.selected === null ? "no_selection" : isRight(row) ? "right" : "wrong"]++;
  }
  return outcomes;
}

function judgedOf(row: Row): Judged {
  const { list, answer } = row;
  const margin = answer.selected === null ? null : (marginOf(answer.win_counts) ?? 0);
  return { right: isRight(row), margin, problem: list.problem_id };
}

const isRight = ({ list, answer }: Row): boolean => !isWrong(answer, list);

/** The outcomes of each problem's lists, with the tau-b of those that have one. */
export function outcomesByProblem(rows: readonly Row[], statistics: Statistics): Record<string, ProblemOutcomes> {
  const groups = Object.entries(Object.groupBy(rows, ({ list }) => list.problem_id));
  return Object.fromEntries(
    groups.map(([problem, problemRows = []]) => {
      const right_lists = Object.fromEntries(problemRows.map((row) => [row.list.list_id, isRight(row)]));
      return [problem, { ...outcomesOf(problemRows), right_lists, tau_b: tausOf(problemRows, statistics) }];
    }),
  );
}

/** Each list's tau-b, where it has one. */
function tausOf(rows: readonly Row[], statistics: Statistics): Record<string, number> {
  const taus = rows.flatMap((row): [string, number][] => {
    const { win_counts, pass_rates } = evaluationList(row, statistics);
    if (win_counts === undefined) return [];
    const { tau } = kendallTauB(win_counts, pass_rates);
    return tau === null ? [] : [[row.list.list_id, tau]];
  });
  return Object.fromEntries(taus);
}

function withOutcomes(byTag: ReturnType<typeof evaluate>["by_tag"], rows: readonly Row[]): CellSummary["by_tag"] {
  const tagged = (tag: string, value: string) =>
    rows.filter(({ list }) => String((tagsOf(list) as Record<string, unknown>)[tag]) === value);
  return Object.fromEntries(
    Object.entries(byTag).map(([tag, values]) => [
      tag,
      Object.fromEntries(
        Object.entries(values).map(([value, metrics]) => [
          value,
          { ...metrics, outcomes: outcomesOf(tagged(tag, value)) },
        ]),
      ),
    ]),
  );
}

/**
 * Mean over lists of the share of a list's pairs that, parsed in both orders, came out differently.
 */
function flipRate(rows: readonly Row[], { seed, bootstrap }: Statistics): Estimate {
  const observations = rows.flatMap(({ list, answer: { position_flip_rate: over } }) =>
    over === null ? [] : [{ over, under: 1, cluster: list.problem_id }],
  );
  return clusteredRatio(observations, {
    resamples: bootstrap,
    seed: hashText(seed, "position_flip_rate"),
    range: [0, 1],
  });
}

function usage(rows: readonly Row[], price: Price | null) {
  const total = (field: "comparisons" | "generations" | "prompt_tokens" | "completion_tokens") =>
    rows.reduce((sum, { answer }) => sum + answer[field], 0);
  const [prompt_tokens, completion_tokens] = [total("prompt_tokens"), total("completion_tokens")];
  const dollars = dollarsFor({ prompt: prompt_tokens, completion: completion_tokens }, price);
  const n = rows.length;
  return {
    comparisons: total("comparisons"),
    generations: total("generations"),
    prompt_tokens,
    completion_tokens,
    tokens_per_list: n === 0 ? null : (prompt_tokens + completion_tokens) / n,
    dollars_per_1000_lists: n === 0 || dollars === null ? null : (1_000 * dollars) / n,
  };
}
