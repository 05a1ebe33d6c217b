// Owns what a group's comparisons tell of themselves: cycles, agreement, how sure the order is.
import { comparedIn, type Showing } from "../judges/questions.ts";
import { mean } from "../math/stats.ts";
import type { Decision } from "./decision.ts";
import { gradesOf, type Outcome } from "./outcome.ts";

export interface Measures {
  /** Whether somebody beat, over others, someone who beat him: no order agrees with all results. */
  cyclic: boolean;
  /**
   * Of the pairs, or lists of the same candidates, with at least two readable verdicts: the mean
   * share of these that say what most of them say, in whatever order and question they were asked.
   */
  agreement: number | null;
  tie_rate: number | null;
  /** Share of the asked pairs of different candidates of which something was decided. */
  decided_rate: number | null;
  /** At most the posterior probability that the strongest is the best; sureness.ts. */
  order_confidence: number;
  /** The posterior mean of tau of the order by strength with the true order. */
  expected_tau: number;
}

/** @param sure how sure the order is (sureness.ts) */
export function measuresOf(
  { pairs }: Decision,
  questions: readonly Showing[],
  outcomes: readonly Outcome[],
  sure: { best: number; tau: number },
): Measures {
  const results = pairs.flatMap((row, i) => row.slice(i + 1)).filter((result) => result !== "unasked");
  const decided = results.filter((result) => result !== "undecided");
  return {
    cyclic: isCyclic(pairs),
    agreement: agreementOf(questions, outcomes),
    tie_rate: decided.length === 0 ? null : decided.filter((result) => result === "tie").length / decided.length,
    decided_rate: results.length === 0 ? null : decided.length / results.length,
    order_confidence: sure.best,
    expected_tau: sure.tau,
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

/** Whom a vote is for; null for a tie. */
function votedFor(outcome: Outcome, { shown }: Showing): number | null {
  const grades = gradesOf(outcome, shown);
  const most = Math.max(...grades);
  const best = shown.filter((_, place) => grades[place] === most);
  return best.length === 1 ? (best[0] as number) : null;
}

function agreementOf(questions: readonly Showing[], outcomes: readonly Outcome[]): number | null {
  const votes = new Map<string, (number | null)[]>();
  for (const outcome of outcomes) {
    if (outcome.state !== "parsed") continue;
    const showing = questions[outcome.question] as Showing;
    const name = comparedIn(showing);
    const said = votes.get(name) ?? [];
    said.push(votedFor(outcome, showing));
    votes.set(name, said);
  }
  const shares = [...votes.values()].flatMap((said) => {
    const most = Math.max(...said.map((one) => said.filter((other) => other === one).length));
    return said.length < 2 ? [] : [most / said.length];
  });
  return shares.length === 0 ? null : mean(shares);
}
