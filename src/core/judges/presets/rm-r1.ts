// `rm-r1`: RM-R1's reasoning form, one user message and <answer>[[A]]</answer> at the end.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rmR1: Preset = {
  shape: "pair",
  messages: [
    {
      role: "user",
      text: `You judge two chatbots' responses to one client's question without favour. Decide which of them follows the client's wishes and helps better; the order and the length of the responses do not count. ${NO_ORDERS} Reason first, then put your final verdict between answer tags: <answer>[[A]]</answer> if chatbot A is better, <answer>[[B]]</answer> if chatbot B is better.\n\n[Client Question]\n{{question}}\n\n{{candidates}}`,
    },
  ],
  candidate: "[The Start of Chatbot {{letter}}'s Response]\n{{text}}\n[The End of Chatbot {{letter}}'s Response]",
  parser: { kind: "tag", tag: "answer", labels: ["A", "B"], bare: true },
};
