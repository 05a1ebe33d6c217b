// `text-select`: any chat model picks the best of several answers to any text task.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const textSelect: Preset = {
  shape: "list",
  messages: [
    {
      role: "user",
      text: `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nOptions: {{letters}}\n\nThe blocks above hold one request and {{count}} answers to it, each under its own letter. Work out which answer serves the request best: it is correct, it does what was asked, and it leaves out nothing that matters. Length, polish and the order of the blocks do not count. ${NO_ORDERS} After your thinking, answer with the letter of the best in a box and nothing else: \\boxed{X}, where X is one of {{letters}}.`,
    },
  ],
  candidate: "[CANDIDATE_{{letter}}]\n{{text}}\n[/CANDIDATE_{{letter}}]",
  parser: { kind: "boxed" },
};
