// `judgelrm`: JudgeLRM scores two answers from 0 to 10, each in a tag of its own.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const judgelrm: Preset = {
  shape: "pair",
  messages: [
    {
      role: "system",
      text: `You rate two assistants' answers to one question by helpfulness, relevance, accuracy and depth, each with a whole number from 0 to 10. ${NO_ORDERS} Reason inside <think></think>, then give one score for each assistant, in their order: <answer>score of assistant 1</answer><answer>score of assistant 2</answer>`,
    },
    { role: "user", text: "[Question]\n{{question}}\n\n{{candidates}}" },
  ],
  candidate: "[The Start of Assistant {{n}}'s Answer]\n{{text}}\n[The End of Assistant {{n}}'s Answer]",
  parser: { kind: "tag", tag: "answer", range: [0, 10], whole: true, each: true },
};
