// What follows the messages of a signal of the kind `score_model`: the form of the answer.
import { LIMITS } from "../../faults/limits.ts";
import { NO_ORDERS, type Preset } from "./preset.ts";

export const scoreModel: Preset = {
  shape: "point",
  messages: [
    {
      role: "user",
      text: `Give a score from {{rubric}}. ${NO_ORDERS} End your answer with the score in a box and nothing behind it: \\boxed{score}.`,
    },
  ],
  candidate: "{{text}}",
  // The scale is the signal's own, and so is the check.
  parser: { kind: "numbers", range: [-LIMITS.score_max, LIMITS.score_max] },
};
