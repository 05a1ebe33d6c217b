// `decide-pair`, `decide-best` and `decide-grade`: the presets for decision models. A decision model returns
// a probability for each option of a question about a given state, and does not generate text.
import { NO_ORDERS, type Preset, user } from "./preset.ts";

/** The state: the task, followed by the answers, each labelled with its letter. */
const state: Pick<Preset, "messages" | "candidate" | "style"> = {
  messages: user(`TASK:\n{{question}}\n\n{{candidates}}\n\n${NO_ORDERS}`),
  candidate: "[ANSWER_{{letter}}]\n{{text}}\n[/ANSWER_{{letter}}]",
  style: "decision",
};

/** The levels of `decide-grade`, lowest first. */
const LEVELS = [
  "Wrong, or not an answer to the task.",
  "Mostly wrong: only a small part is right.",
  "Partly right: an important part is wrong or missing.",
  "Mostly right: only minor errors or omissions.",
  "Right and complete: does all that the task asks.",
];

export const DECISION: Readonly<Record<string, Preset>> = {
  /** Asks which of two answers is better. The questions about all pairs of a group share one state. */
  "decide-pair": { ...state, shape: "pair", parser: { kind: "word" } },
  /** Asks which of several answers is the best. */
  "decide-best": { ...state, shape: "list", parser: { kind: "word" }, list_limit: "decision_candidates_max" },
  /** Asks how well an answer does what was asked. The value is the expected level, from 0 to 1. */
  "decide-grade": {
    ...state,
    shape: "point",
    parser: { kind: "word", labels: LEVELS.map((_, level) => `${level}`) },
    levels: LEVELS,
  },
};
