// `prometheus` and `prometheus-pair`: Prometheus 2, a score from 1 to 5 or A or B behind [RESULT].
import { NO_ORDERS, type Preset } from "./preset.ts";

const system = { role: "system", text: "You are a fair judge who gives clear, objective feedback by a score rubric." };
const TASK = "###The instruction to evaluate:\n{{question}}\n\n{{candidates}}\n\n###Score Rubrics:\n{{rubric}}";

export const prometheus: Preset = {
  shape: "point",
  messages: [
    system,
    {
      role: "user",
      text: `###Task Description:\nWrite feedback on the response strictly by the rubric, then a whole number from 1 to 5. ${NO_ORDERS} The form is: "Feedback: (feedback) [RESULT] (a whole number from 1 to 5)".\n\n${TASK}\n\n###Feedback:`,
    },
  ],
  candidate: "###Response to evaluate:\n{{text}}\n###End of response",
  parser: {
    kind: "line",
    key: "[RESULT]",
    range: [1, 5],
    whole: true,
    also: ["[SCORE]", "[RESULT:", "Result:", "Score:"],
  },
};

export const prometheusPair: Preset = {
  ...prometheus,
  shape: "pair",
  messages: [
    system,
    {
      role: "user",
      text: `###Task Description:\nWrite feedback that compares the two responses strictly by the rubric, then the better one. ${NO_ORDERS} The form is: "Feedback: (feedback) [RESULT] (A or B)".\n\n${TASK}\n\n###Feedback:`,
    },
  ],
  candidate: "###Response {{letter}}:\n{{text}}\n###End of response {{letter}}",
  parser: { kind: "line", key: "[RESULT]", labels: ["A", "B"], also: ["[RESULT:", "Result:"] },
};
