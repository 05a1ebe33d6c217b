// Checks that a judge's schema cannot express: which schedules, votes and scores can be combined with each
// other.
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { instead } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { softFault } from "../judges/anchors.ts";
import { listLimitOf, presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { scoreScale } from "../judges/score-scale.ts";
import { scheduleFault, scheduleOf } from "./named-schedule.ts";
import { SCORES } from "./score-table.ts";

interface JudgeFault {
  /** Path relative to the judge settings; `score` if the score is invalid. */
  path: readonly string[];
  message: string;
}

/** Whether verdicts contain scores. An unknown prompt name passes, since another check reports it. */
const givesScores = ({ prompt, form, vote }: JudgeSettings): boolean => {
  if (presetNamed(prompt) === null) return form === "scores" || !isPromptName(prompt);
  return scoreScale(prompt) !== null && vote !== "soft";
};

/** Why the lists of the schedule `blocks` are too long for the judge's preset, or null. */
function listSizeFault({ prompt, schedule }: JudgeSettings): string | null {
  const { size = 0 } = scheduleOf(schedule).settings as { size?: number };
  const limit = listLimitOf(prompt);
  return size <= LIMITS[limit] ? null : `${size}; must be at most ${LIMITS[limit]} (limit ${limit})${instead(limit)}`;
}

/** The first invalid combination, or null. */
export function judgeFault(judge: JudgeSettings, score: string): JudgeFault | null {
  const schedule = scheduleFault(judge);
  if (schedule !== null) return { path: ["schedule"], message: schedule };
  const size = listSizeFault(judge);
  if (size !== null) return { path: ["schedule", "size"], message: size };
  const soft = softFault(judge);
  if (soft !== null) return { path: ["vote"], message: soft };
  const pairsOnly = (path: string, given: boolean, what: string) =>
    given && judge.mode === "listwise" ? { path: [path], message: `${what} needs mode "pairwise"` } : null;
  const score_ = SCORES[score]?.needsScores === true && !givesScores(judge);
  return (
    pairsOnly("both_orders", judge.both_orders === "when_close", '"when_close"') ??
    pairsOnly("samples", typeof judge.samples === "object", "a range of samples") ??
    (score_
      ? {
          path: ["score"],
          message: `${score} needs a judge that gives scores; use form "scores" or a preset with its own scale`,
        }
      : null)
  );
}
