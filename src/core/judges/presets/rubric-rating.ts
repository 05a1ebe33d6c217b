// `rubric-rating`: any chat model rates a response from 1 to 10 by a whole rubric.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rubricRating: Preset = {
  shape: "rubric",
  messages: [
    {
      role: "user",
      text: `<conversation>\n{{question}}\n</conversation>\n\n{{candidates}}\n\n<criteria>\n{{rubric}}\n</criteria>\n\nRate how well the response meets the criteria as a whole, from 1 (not at all) to 10 (in full). ${NO_ORDERS} Answer with one JSON object: {"explanation": "..", "rating": a whole number from 1 to 10}`,
    },
  ],
  candidate: "<response>\n{{text}}\n</response>",
  parser: { kind: "json", grade: "rating", range: [1, 10], whole: true },
};
