// `letter-select`: any chat model names the best of several answers by its letter alone, at once.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const letterSelect: Preset = {
  shape: "list",
  messages: [
    {
      role: "user",
      text: `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters? Length, polish and the order of the blocks do not count. ${NO_ORDERS} Answer at once with the letter of the best, one of {{letters}}, and write nothing else.`,
    },
  ],
  candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
  parser: { kind: "word" },
};
