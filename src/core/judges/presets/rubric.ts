// `rubric`: any chat model says of one rubric item whether a response meets it.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rubric: Preset = {
  shape: "rubric",
  messages: [
    {
      role: "user",
      text: `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criterion>\n{{rubric}}\n</criterion>\n\nDecide whether the response meets the criterion, taking it word for word. ${NO_ORDERS} Answer with one JSON object: {"explanation": "..", "criteria_met": true or false}`,
    },
  ],
  candidate: "<response>\n{{text}}\n</response>",
  parser: { kind: "json", met: "criteria_met" },
};
