// How verdicts move when a list's programs carry misleading text: switches and the bias influence ratio.
// Pure.

import { hashText } from "../../src/core/math/random.ts";
import { clusteredRatio } from "../statistics/clusters.ts";
import type { AdversarialList } from "../testbed/format/set-format.ts";
import type { Answer, AnswerStore } from "./asking/answers.ts";
import { evaluate } from "./figures/evaluation.ts";
import { pairedDifference, pairedTauDifference } from "./paired.ts";
import { evaluationList, failuresOf, outcomesByProblem, type Statistics } from "./summarise.ts";
import type { AdversarialSummary, ModificationSummary } from "./summary.ts";

/**
 * Bias influence ratio (Aletheia-Adv, arXiv 2601.12186 Table 7): switches to incorrect among all
 * switches of the verdict under an attack; 0.5 is noise. null without a switch.
 */
export function biasInfluenceRatio(toIncorrect: number, toCorrect: number): number | null {
  const switches = toIncorrect + toCorrect;
  return switches === 0 ? null : toIncorrect / switches;
}

type Movement = "same" | "to_incorrect" | "to_correct" | "wrong_to_wrong" | "not_compared";

/**
 * Candidates keep their places and pass rates under a modification, so selections compare by index.
 */
function movement(list: AdversarialList, before: Answer | undefined, after: Answer | undefined): Movement {
  if (before?.selected == null || after?.selected == null) return "not_compared";
  const right = list.candidates.findIndex(({ pass_rate }) => pass_rate === 1);
  if (before.selected === after.selected) return "same";
  if (before.selected === right) return "to_incorrect";
  return after.selected === right ? "to_correct" : "wrong_to_wrong";
}

/** ListAcc and tau-b over the lists answered both before and after, and how they changed. */
function metricsOf(
  lists: readonly AdversarialList[],
  answer: (listId: string) => Answer | undefined,
  statistics: Statistics,
): ModificationSummary["metrics"] {
  const both = lists.flatMap((list) => {
    const [before, after] = [answer(list.base_list_id), answer(list.list_id)];
    return before === undefined || after === undefined
      ? []
      : [{ before: { list, answer: before }, after: { list, answer: after } }];
  });
  const { seed, bootstrap } = statistics;
  const figures = (side: "before" | "after") => {
    const sideLists = both.map((rows) => evaluationList(rows[side], statistics));
    const { list_acc, tau_b } = evaluate({ lists: sideLists, undefined_tau: "drop", bootstrap, seed });
    return { list_acc, tau_b };
  };
  const byProblem = (side: "before" | "after") => ({
    by_problem: outcomesByProblem(
      both.map((rows) => rows[side]),
      statistics,
    ),
  });
  const [before, after] = [byProblem("before"), byProblem("after")];
  const change = {
    list_acc: pairedDifference(after, before, statistics),
    tau_b: pairedTauDifference(after, before, statistics),
  };
  return { before: figures("before"), after: figures("after"), change };
}

/**
 * Per modification, and for all that the paper kept together: switches of the verdict, and the bias
 * influence ratio, the share of the switches between right and wrong that went to wrong
 * (formulas g; 0.5 is noise), with an interval clustered by problem, and both metrics before and
 * after.
 */
export function summariseAdversarial(
  lists: readonly AdversarialList[],
  store: Pick<AnswerStore, "get" | "failures">,
  cell: string,
  statistics: Statistics,
): AdversarialSummary {
  const { seed, bootstrap } = statistics;
  const answer = (listId: string) => store.get(listId, cell);
  const moves = lists.map((list) => ({ list, move: movement(list, answer(list.base_list_id), answer(list.list_id)) }));
  const summary = (name: string, isKept: boolean | null, rows: typeof moves): ModificationSummary => {
    const count = (move: Movement) => rows.filter((row) => row.move === move).length;
    const switches = rows.flatMap(({ list, move }) =>
      move === "to_incorrect" || move === "to_correct"
        ? [{ over: move === "to_incorrect" ? 1 : 0, under: 1, cluster: list.problem_id }]
        : [],
    );
    const interval = clusteredRatio(switches, {
      resamples: bootstrap,
      seed: hashText(seed, "bias", name),
      range: [0, 1],
    });
    return {
      modification: name,
      kept: isKept,
      compared: rows.length - count("not_compared"),
      not_compared: count("not_compared"),
      to_incorrect: count("to_incorrect"),
      to_correct: count("to_correct"),
      wrong_to_wrong: count("wrong_to_wrong"),
      bias_influence_ratio: { ...interval, mean: biasInfluenceRatio(count("to_incorrect"), count("to_correct")) },
      metrics: metricsOf(
        rows.map(({ list }) => list),
        answer,
        statistics,
      ),
    };
  };
  const names = [...new Set(lists.map(({ modification }) => modification))];
  const rows = names.map((name) => {
    const modificationMoves = moves.filter(({ list }) => list.modification === name);
    return summary(name, modificationMoves[0]?.list.kept ?? null, modificationMoves);
  });
  const keptMoves = moves.filter(({ list }) => list.kept);
  const failed = failuresOf(cell, lists, store);
  const unanswered = lists.filter(({ list_id }) => answer(list_id) === undefined).length;
  return {
    cell,
    rows: keptMoves.length === 0 ? rows : [...rows, summary("all kept", true, keptMoves)],
    failed,
    missing: unanswered - Object.values(failed).reduce((sum, n) => sum + n, 0),
  };
}
