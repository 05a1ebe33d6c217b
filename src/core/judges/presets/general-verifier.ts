// `general-verifier`: TIGER's general verifier, a raw completion that ends with Final Decision: Yes
// or No.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const generalVerifier: Preset = {
  shape: "reference",
  messages: [
    {
      role: "user",
      text: `User: ### Question: {{question}}\n\n### Ground Truth Answer: {{reference}}\n\n{{candidates}}\n\nDoes the student's answer agree with the ground truth? Do not solve the question again. ${NO_ORDERS} If it agrees, end with "Final Decision: Yes", else with "Final Decision: No".\n\nAssistant:`,
    },
  ],
  candidate: "### Student Answer: {{text}}\n### End of Student Answer",
  parser: { kind: "line", key: "Final Decision:", labels: ["Yes", "No"] },
  passing: ["Yes"],
  style: "completion",
};
