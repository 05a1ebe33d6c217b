// Owns what a judge's schema cannot say of it: which schedules, votes and scores go together.
import type { Spec } from "../contract/spec.ts";
import { softFault } from "../judges/anchors.ts";
import { promptTitle } from "../judges/presets/own.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { scheduleFault } from "../tournament/named-schedule.ts";
import { SCORES } from "../tournament/score-table.ts";

export interface JudgeFault {
  /** Below the judge's own path; `score` for the score. */
  path: readonly string[];
  message: string;
}

/** Of a name that is no built-in one nothing is known here. */
const mayGiveScores = (prompt: string): boolean => {
  const parser = presetNamed(prompt)?.parser;
  return parser === undefined ? !isPromptName(prompt) : "range" in parser;
};

/** What does not go together, or null. */
export function judgeFault(judge: Spec["judge"], score: string): JudgeFault | null {
  const schedule = scheduleFault(judge);
  if (schedule !== null) return { path: ["schedule"], message: schedule };
  const soft = softFault(judge);
  if (soft !== null) return { path: ["vote"], message: soft };
  const think = thinkFault(judge);
  if (think !== null) return think;
  const pairsOnly = (path: string, given: boolean, what: string) =>
    given && judge.mode === "listwise" ? { path: [path], message: `${what} needs mode "pairwise"` } : null;
  const score_ = SCORES[score]?.needsScores === true && judge.form !== "scores" && !mayGiveScores(judge.prompt);
  return (
    pairsOnly("both_orders", judge.both_orders === "when_close", '"when_close"') ??
    pairsOnly("samples", typeof judge.samples === "object", "a range of samples") ??
    (score_ ? { path: ["score"], message: `${score} needs a judge that gives scores: form "scores"` } : null)
  );
}

/** Why a judge cannot ask with few tokens first, or null. */
function thinkFault({ think, max_tokens, prompt }: Spec["judge"]): JudgeFault | null {
  if (think === undefined) return null;
  const { first, then } = think;
  const fault = (path: readonly string[], message: string) => ({ path, message });
  if (then !== max_tokens) {
    return fault(["max_tokens"], `think.then is ${then}: leave max_tokens out, or make them equal`);
  }
  if (first >= then) return fault(["think", "first"], `must be less than think.then = ${then}, and is ${first}`);
  if (presetNamed(prompt)?.parser.kind === "word") {
    return fault(["think"], `${promptTitle(prompt)} asks for an answer of one word, without thoughts to cut`);
  }
  return null;
}
