// `selene` and `selene-pair`: Selene's forms, a score from 1 to 5 or a choice of two, as
// **Result:**.
import { NO_ORDERS, type Preset } from "./preset.ts";

const FORM = `${NO_ORDERS} Your reply has two parts:\n**Reasoning:** your feedback\n**Result:**`;

export const selene: Preset = {
  shape: "point",
  messages: [
    {
      role: "user",
      text: `Rate the response to the instruction from 1 (worst) to 5 (best) by this rubric: {{rubric}}\n\n[Instruction]\n{{question}}\n\n{{candidates}}\n\n${FORM} a whole number from 1 to 5`,
    },
  ],
  candidate: "[Response]\n{{text}}\n[End of Response]",
  parser: { kind: "line", key: "Result:", range: [1, 5], whole: true },
};

export const selenePair: Preset = {
  ...selene,
  shape: "pair",
  messages: [
    {
      role: "user",
      text: `Choose the better of two responses to the instruction by this rubric: {{rubric}}\n\n[Instruction]\n{{question}}\n\n{{candidates}}\n\n${FORM} A or B`,
    },
  ],
  candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
  parser: { kind: "line", key: "Result:", labels: ["A", "B"] },
};
