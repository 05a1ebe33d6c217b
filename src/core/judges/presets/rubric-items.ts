// `rubric-items`: any chat model says of each item of a rubric whether a response meets it, and
// where.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rubricItems: Preset = {
  shape: "rubric",
  messages: [
    {
      role: "user",
      text: `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nDecide of each numbered criterion whether the response meets it: true, false, or null where the response does not let you tell. One marked [rule] is taken word for word, one marked [principle] by its sense. One that describes a mistake is met where the response makes it. For one with choices give the number of the choice that fits. Quote for each the few words of the response that decide it, or an empty text. ${NO_ORDERS} Answer with one JSON object that has two keys for each criterion: {"criterion_1": true, "evidence_1": "..", "criterion_2": false, ..}`,
    },
  ],
  candidate: "<response>\n{{text}}\n</response>",
  parser: { kind: "json", met: "criterion_{n}", evidence: "evidence_{n}", choices: true },
};
