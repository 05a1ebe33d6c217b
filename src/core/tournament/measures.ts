// Consistency measures of a group's comparisons: cycles, agreement, tie rate, decided rate.

import type { Circles, Measures } from "../asking/comparison.ts";
import { gradesOf, type Outcome } from "../asking/outcome.ts";
import { comparedIn, type Presentation } from "../asking/questions.ts";
import { mean } from "../math/stats.ts";
import type { Decision } from "./decision.ts";

export function measuresOf(
  { pairs }: Decision,
  questions: readonly Presentation[],
  outcomes: readonly Outcome[],
): Measures {
  const results = pairs.flatMap((row, i) => row.slice(i + 1)).filter((result) => result !== "unasked");
  const decided = results.filter((result) => result !== "undecided");
  return {
    cyclic: isCyclic(pairs),
    agreement: agreementOf(questions, outcomes),
    tie_rate: decided.length === 0 ? null : decided.filter((result) => result === "tie").length / decided.length,
    decided_rate: results.length === 0 ? null : decided.length / results.length,
  };
}

/**
 * Whether the graph of wins has a cycle: some candidates remain after repeatedly removing all those that beat
 * none of the rest.
 */
export function isCyclic(pairs: Decision["pairs"]): boolean {
  let left = pairs.map((_, i) => i);
  for (;;) {
    const rest = left.filter((i) => left.some((j) => pairs[i]?.[j] === "win"));
    if (rest.length === left.length) return left.length > 0;
    left = rest;
  }
}

/** Number of triples whose three pairs all have a winner, and number of those that are cyclic. */
export function circlesIn(pairs: Decision["pairs"]): Circles {
  const won = pairs.map((row) => row.map((result) => (result === "win" ? 1 : result === "loss" ? -1 : 0)));
  const found = { triples: 0, circles: 0 };
  won.forEach((ofI, i) => {
    for (let j = i + 1; j < won.length; j++) {
      if (!ofI[j]) continue;
      for (let k = j + 1; k < won.length; k++) {
        if (!ofI[k] || !won[j]?.[k]) continue;
        found.triples++;
        // i beats j, j beats k and k beats i, or all three reversed.
        if (ofI[j] === won[j]?.[k] && ofI[j] !== ofI[k]) found.circles++;
      }
    }
  });
  return found;
}

/** The candidate that a verdict favours; null for a tie. */
function votedFor(outcome: Outcome, { shown }: Presentation): number | null {
  const grades = gradesOf(outcome, shown);
  const maxGrade = Math.max(...grades);
  const best = shown.filter((_, place) => grades[place] === maxGrade);
  return best.length === 1 ? (best[0] as number) : null;
}

function agreementOf(questions: readonly Presentation[], outcomes: readonly Outcome[]): number | null {
  const questionOf = ({ question }: Outcome) => questions[question] as Presentation;
  const parsed = outcomes.filter(({ state }) => state === "parsed");
  const shares = [...Map.groupBy(parsed, (outcome) => comparedIn(questionOf(outcome))).values()].flatMap((ofPair) => {
    const pairVotes = ofPair.map((outcome) => votedFor(outcome, questionOf(outcome)));
    const majority = Math.max(...pairVotes.map((pairVote) => pairVotes.filter((other) => other === pairVote).length));
    return pairVotes.length < 2 ? [] : [majority / pairVotes.length];
  });
  return shares.length === 0 ? null : mean(shares);
}
