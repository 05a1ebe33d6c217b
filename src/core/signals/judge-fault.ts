// Owns what a judge's schema cannot say of it: which schedules, votes and scores go together.
import type { Spec } from "../contract/spec.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { scheduleFault } from "../tournament/named-schedule.ts";
import { SCORES } from "../tournament/score-table.ts";

export interface JudgeFault {
  /** Below the judge's own path; `score` for the score. */
  path: readonly string[];
  message: string;
}

const givesScores = (prompt: string): boolean => {
  const parser = presetNamed(prompt)?.parser;
  return parser !== undefined && "range" in parser;
};

/** What does not go together, or null. */
export function judgeFault(judge: Spec["judge"], score: string): JudgeFault | null {
  const schedule = scheduleFault(judge);
  if (schedule !== null) return { path: ["schedule"], message: schedule };
  const pairsOnly = (path: string, given: boolean, what: string) =>
    given && judge.mode === "listwise" ? { path: [path], message: `${what} needs mode "pairwise"` } : null;
  const score_ = SCORES[score]?.needsScores === true && judge.form !== "scores" && !givesScores(judge.prompt);
  return (
    pairsOnly("both_orders", judge.both_orders === "when_close", '"when_close"') ??
    pairsOnly("samples", typeof judge.samples === "object", "a range of samples") ??
    (score_ ? { path: ["score"], message: `${score} needs a judge that gives scores: form "scores"` } : null)
  );
}
