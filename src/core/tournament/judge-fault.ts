// Owns what a judge's schema cannot say of it: which schedules, votes and scores go together.
import type { Spec } from "../contract/spec.ts";
import { softFault } from "../judges/anchors.ts";
import { judgeAsked } from "../judges/asked-first.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { scoreScale } from "../judges/score-scale.ts";
import { scheduleFault, scheduleOf } from "./named-schedule.ts";
import { SCORES } from "./score-table.ts";

interface JudgeFault {
  /** Below the judge's own path; `score` for the score. */
  path: readonly string[];
  message: string;
}

/** Of a name that is no built-in one nothing is known here. */
const givesScores = ({ prompt, form, vote }: Spec["judge"]): boolean => {
  if (presetNamed(prompt) === null) return form === "scores" || !isPromptName(prompt);
  return scoreScale(prompt) !== null && vote !== "soft";
};

/** Of a question's answers all must be asked, and then be scored as they stand. */
function filterFault({ filter, samples, vote, budget }: Spec["judge"]): JudgeFault | null {
  if (filter === undefined) return null;
  const { top, by, preset } = filter;
  const refuse = (field: string, message: string) => ({ path: ["filter", field], message });
  if (typeof samples !== "number" || top >= samples) return refuse("top", "must be below a number of judge.samples");
  if (vote === "soft") return refuse("by", "scores what is written, which a soft vote does not count");
  if (budget !== undefined) return refuse("by", "is asked beside the judge, and a budget counts the judge alone");
  if (by === "scalar") {
    const field = preset === undefined ? (filter.model === undefined ? null : "model") : "preset";
    return field === null ? null : refuse(field, 'goes with by: "chat"');
  }
  if (preset === undefined || presetNamed(preset)?.shape === "point") return null;
  return refuse("preset", "must be a built-in preset that grades one answer");
}

/** What does not go with a judge that is asked first, or null. */
function firstFault(judge: Spec["judge"], score: string): JudgeFault | null {
  const { first, mode, both_orders, budget, filter } = judge;
  if (first === undefined) return null;
  const fault = (path: readonly string[], message: string): JudgeFault => ({ path, message });
  const { schedule, settings } = scheduleOf(judge.schedule);
  const asksAgain = schedule.choose !== undefined || schedule.repeats?.(settings) === true;
  const soft = softFault(judgeAsked(judge, { by: "first" }));
  if (filter !== undefined) return fault(["filter"], "counts the answers of one judge: leave it out, or first");
  if (mode === "listwise") return fault(["first"], 'a judge that is asked first needs mode "pairwise"');
  if (both_orders === "when_close") return fault(["both_orders"], "true or false: first says what is close");
  if (budget !== undefined) return fault(["budget"], "a budget is one judge's: leave it out, or first");
  if (asksAgain) return fault(["schedule"], "with first no pair is asked again: auto, and active with again, do");
  if (first.vote === "majority" && both_orders !== true)
    return fault(["first", "vote"], "majority needs both_orders: one vote is never close");
  if (soft !== null) return fault(["first", "vote"], soft);
  return SCORES[score]?.needsScores === true
    ? fault(["score"], `${score} needs the judge's own scores of every pair, and first leaves some to another`)
    : null;
}

/** What does not go together, or null. */
export function judgeFault(judge: Spec["judge"], score: string): JudgeFault | null {
  const schedule = scheduleFault(judge);
  if (schedule !== null) return { path: ["schedule"], message: schedule };
  const soft = softFault(judge);
  if (soft !== null) return { path: ["vote"], message: soft };
  const pairsOnly = (path: string, given: boolean, what: string) =>
    given && judge.mode === "listwise" ? { path: [path], message: `${what} needs mode "pairwise"` } : null;
  const first = firstFault(judge, score);
  if (first !== null) return first;
  const score_ = SCORES[score]?.needsScores === true && !givesScores(judge);
  return (
    filterFault(judge) ??
    pairsOnly("both_orders", judge.both_orders === "when_close", '"when_close"') ??
    pairsOnly("samples", typeof judge.samples === "object", "a range of samples") ??
    (score_
      ? {
          path: ["score"],
          message: `${score} needs a judge that gives scores: form "scores", or a preset with a scale of its own`,
        }
      : null)
  );
}
