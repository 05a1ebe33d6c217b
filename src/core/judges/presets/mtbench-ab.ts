// `mtbench-ab`: a chat model compares two answers and says [[A]], [[B]] or [[C]] for a tie.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const mtbenchAb: Preset = {
  shape: "pair",
  messages: [
    {
      role: "system",
      text: `You are an impartial judge of two assistants' answers to one user's question. Compare how helpful, correct, relevant and complete they are; neither their order, their length nor the assistants' names count. ${NO_ORDERS} Explain your comparison briefly, then end with your verdict in exactly this form: "[[A]]" if assistant A is better, "[[B]]" if assistant B is better, "[[C]]" for a tie.`,
    },
    { role: "user", text: "[User Question]\n{{question}}\n\n{{candidates}}" },
  ],
  candidate: "[The Start of Assistant {{letter}}'s Answer]\n{{text}}\n[The End of Assistant {{letter}}'s Answer]",
  parser: { kind: "bracket", labels: ["A", "B", "C"] },
  ties: ["C"],
};
