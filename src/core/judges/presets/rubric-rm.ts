// `rubric-rm`: Rubric-RM compares two responses by a rubric of hard rules and principles.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rubricRm: Preset = {
  shape: "pair",
  messages: [
    {
      role: "user",
      text: `You compare two responses to one instruction by the rubric below: first the hard rules, then the principles. ${NO_ORDERS}\n\n[Instruction]\n{{question}}\n\n[Rubric]\n{{rubric}}\n\n{{candidates}}\n\nWrite "--- Compliance Check ---" for the hard rules, "--- Analysis ---" for the principles, then "--- Final Judgment ---" with "Justification:" and on the last line "Winner: Response A" or "Winner: Response B".`,
    },
  ],
  candidate: "[Response {{letter}}]\n{{text}}\n[End of Response {{letter}}]",
  parser: { kind: "line", key: "Winner:", labels: ["A", "B"] },
};
