// `arena-5`: a judge that says how much better one of two answers is, in five steps.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const arena5: Preset = {
  shape: "pair",
  messages: [
    {
      role: "system",
      text: `You are an impartial judge of two assistants' answers to one user prompt. First work out your own answer, then compare both with it: correctness first, then helpfulness, relevance and completeness. ${NO_ORDERS} After your comparison, end with exactly one of these labels: "[[A>>B]]" (A is much better), "[[A>B]]" (A is slightly better), "[[A=B]]" (about equal), "[[B>A]]" (B is slightly better), "[[B>>A]]" (B is much better).`,
    },
    { role: "user", text: "<|User Prompt|>\n{{question}}\n\n{{candidates}}" },
  ],
  candidate: "<|The Start of Assistant {{letter}}'s Answer|>\n{{text}}\n<|The End of Assistant {{letter}}'s Answer|>",
  parser: { kind: "bracket", strength: true },
};
