// `lav`: LLM-as-a-Verifier's form, a mark from A (best) to T (worst) in a tag for each of two
// answers.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const lav: Preset = {
  shape: "pair",
  messages: [
    {
      role: "user",
      text: `[Task]\n{{question}}\n[End of Task]\n\n{{candidates}}\n\nMark how well each response does what the task asks. Marks are the twenty letters from A to T: A is a response that is right in everything, K one that is right in half of it, T one that is right in nothing. Give equal marks only to responses that are equally good. ${NO_ORDERS} End with both marks in exactly this form, X and Y being letters from A to T:\n<score_A>X</score_A>\n<score_B>Y</score_B>`,
    },
  ],
  candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
  parser: { kind: "logprobs", labels: [..."ABCDEFGHIJKLMNOPQRST"], each: ["<score_A>", "<score_B>"] },
};
