// Owns what a group's comparisons tell of themselves: cycles, agreement, how sure the order is.
import type { Fit } from "../math/bradley-terry.ts";
import { orderConfidence } from "../math/bradley-terry.ts";
import { mean } from "../math/stats.ts";
import type { Decision } from "./decide.ts";
import type { Outcome } from "./outcome.ts";

export interface Measures {
  /** Whether somebody beat, over others, someone who beat him: no order agrees with all results. */
  cyclic: boolean;
  /**
   * Of the questions with at least two readable verdicts: the mean share that says what most say.
   */
  agreement: number | null;
  tie_rate: number | null;
  /** Share of the asked pairs of different candidates of which something was decided. */
  decided_rate: number | null;
  /** At most the posterior probability that the strongest is the best; bradley-terry.ts. */
  order_confidence: number;
  /** The posterior mean of tau of the order by strength with the true order. */
  expected_tau: number;
}

export function measuresOf({ pairs }: Decision, outcomes: readonly Outcome[], fit: Fit): Measures {
  const results = pairs.flatMap((row, i) => row.slice(i + 1)).filter((result) => result !== "unasked");
  const decided = results.filter((result) => result !== "undecided");
  const { best, tau } = orderConfidence(fit);
  return {
    cyclic: isCyclic(pairs),
    agreement: agreementOf(outcomes),
    tie_rate: decided.length === 0 ? null : decided.filter((result) => result === "tie").length / decided.length,
    decided_rate: results.length === 0 ? null : decided.length / results.length,
    order_confidence: best,
    expected_tau: tau,
  };
}

/**
 * Whether the graph of wins has a cycle: somebody is left when all without a win against the rest
 * are taken out.
 */
export function isCyclic(pairs: Decision["pairs"]): boolean {
  let left = pairs.map((_, i) => i);
  for (;;) {
    const rest = left.filter((i) => left.some((j) => pairs[i]?.[j] === "win"));
    if (rest.length === left.length) return left.length > 0;
    left = rest;
  }
}

function agreementOf(outcomes: readonly Outcome[]): number | null {
  const byQuestion = new Map<number, number[]>();
  for (const { question, winner, state } of outcomes) {
    if (state === "parsed") byQuestion.set(question, [...(byQuestion.get(question) ?? []), winner ?? -1]);
  }
  const shares = [...byQuestion.values()].flatMap((said) => {
    const most = Math.max(...said.map((one) => said.filter((other) => other === one).length));
    return said.length < 2 ? [] : [most / said.length];
  });
  return shares.length === 0 ? null : mean(shares);
}
