// `compassverifier`: CompassVerifier holds an answer against a reference: A correct, B incorrect, C
// invalid.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const compassverifier: Preset = {
  shape: "reference",
  messages: [
    {
      role: "user",
      text: `Decide whether the candidate's final answer agrees with the standard answer, which is right. Forms of the same value agree. ${NO_ORDERS} A: CORRECT, B: INCORRECT, C: INVALID (cut off, repetitive or no answer at all).\n\n<Original Question Begin>\n{{question}}\n<Original Question End>\n\n<Standard Answer Begin>\n{{reference}}\n<Standard Answer End>\n\n{{candidates}}\n\nAnalyse step by step, then end with "Final Judgment: \\boxed{A/B/C} - CORRECT/INCORRECT/INVALID".`,
    },
  ],
  candidate: "<Candidate's Answer Begin>\n{{text}}\n<Candidate's Answer End>",
  parser: {
    kind: "boxed",
    labels: ["A", "B", "C"],
    words: { correct: "A", incorrect: "B", invalid: "C" },
    key: "Final Judgment:",
    bare: true,
  },
  passing: ["A"],
};
