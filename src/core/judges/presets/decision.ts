// `decide-pair`, `decide-best`, `decide-grade`: what a decision model is shown. It gives a probability
// for each option of a question about one state, and writes no text.
import { NO_ORDERS, type Preset, user } from "./preset.ts";

/** The state: the task, then the answers under letters that follow their place. */
const state: Pick<Preset, "messages" | "candidate" | "style"> = {
  messages: user(`TASK:\n{{question}}\n\n{{candidates}}\n\n${NO_ORDERS}`),
  candidate: "[ANSWER_{{letter}}]\n{{text}}\n[/ANSWER_{{letter}}]",
  style: "decision",
};

export const DECISION: Readonly<Record<string, Preset>> = {
  /** Which of two answers is better; all pairs of a group are asked about one state. */
  "decide-pair": { ...state, shape: "pair", parser: { kind: "word" } },
  /** Which of several answers is the best. */
  "decide-best": { ...state, shape: "list", parser: { kind: "word" } },
  /** Whether an answer does what was asked; its value is the probability of yes. */
  "decide-grade": { ...state, shape: "point", parser: { kind: "word", labels: ["yes", "no"] }, passing: ["yes"] },
};
