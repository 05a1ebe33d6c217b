// Owns what is told of the judge's words beside a rollout's reward, each cut to an equal share of
// the rollout's room. Words are data: they go into the reply and nowhere else.

import { isAside } from "../asking/questions.ts";
import type { JudgeText } from "../contract/judge-text.ts";
import { LIMITS } from "../faults/limits.ts";
import { tellable } from "../judges/verdicts.ts";
import { cutText } from "../text/cut-text.ts";
import type { GroupSignals } from "./group-signals.ts";
import { shownRollouts } from "./turns-named.ts";

/** Characters for each rollout of a request of so many. */
export const judgeTextRoom = (rollouts: number): number =>
  Math.min(LIMITS.judge_text_rollout_chars, Math.floor(LIMITS.judge_text_chars / rollouts));

/** With less of an answer there is nothing to learn from it. */
const CHARS_LEAST = 256;

/**
 * What the judges of a group's signals wrote of a rollout, or of the first with the same candidate:
 * first samples first. Of more than judge_text_answers_max answers those first asked are told, and
 * fewer where the room is small.
 */
export function judgeTextsOf(signals: GroupSignals, room: number): (r: number) => JudgeText[] {
  const { prepared } = signals;
  const { classOf, members } = prepared.classes;
  const most = Math.min(LIMITS.judge_text_answers_max, Math.max(1, Math.floor(room / CHARS_LEAST)));
  const of = prepared.group.rollouts.map((): JudgeText[] => []);
  for (const entry of signals.asked()) {
    const { question, readings, signal, holders } = entry;
    // What decides nothing is no word on anybody.
    if (question.to !== "chat" || question.bare !== undefined || isAside(question)) continue;
    const shown = shownRollouts(prepared, entry);
    for (const { sample, verdict, status, code, saved, words = null } of readings) {
      if (saved) continue;
      const told = { signal, shown, sample, verdict: tellable(verdict), status, error: code, text: words };
      // Past the last: the group's reference.
      for (const r of holders ?? shown) of[r]?.push(told);
    }
  }
  return (r) => {
    const first = members[classOf[r] ?? -1]?.[0] ?? r;
    const own = of[r]?.length === 0 ? of[first] : of[r];
    const told = (own ?? []).toSorted((a, b) => a.sample - b.sample).slice(0, most);
    const each = Math.floor(room / Math.max(1, told.length));
    return told.map((one) => ({ ...one, text: one.text === null ? null : cutText(one.text, each) }));
  };
}
