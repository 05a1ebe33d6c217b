// `ruler`: RULER's form, any chat model scores several attempts from 0 to 1, relative to each
// other.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const ruler: Preset = {
  shape: "list",
  messages: [
    {
      role: "system",
      text: `You are shown a task and several attempts at it. Score each from 0 to 1 by how well it reaches the task's goal; an attempt that gets further scores higher, and a clear difference shows in the scores. ${NO_ORDERS} Answer with one JSON object: {"scores": [{"trajectory_id": "1", "explanation": "..", "score": 0.5}, ..]}, with each id once.`,
    },
    { role: "user", text: "<task>\n{{question}}\n</task>\n\n{{candidates}}" },
  ],
  candidate: '<trajectory id="{{n}}">\n{{text}}\n</trajectory>',
  parser: { kind: "json", scores: "scores", ids: "{n}", items: ["trajectory_id", "score"], range: [0, 1] },
};
