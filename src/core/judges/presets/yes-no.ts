// `yes-no`: any chat model says with one word whether a response does what was asked.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const yesNo: Preset = {
  shape: "point",
  messages: [
    {
      role: "user",
      text: `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nIs the response right and does it do all that was asked? ${NO_ORDERS} Answer with one word: yes or no.`,
    },
  ],
  candidate: "[RESPONSE]\n{{text}}\n[/RESPONSE]",
  parser: { kind: "word", labels: ["yes", "no"] },
  passing: ["yes"],
};
