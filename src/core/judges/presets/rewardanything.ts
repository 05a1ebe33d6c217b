// `rewardanything`: RewardAnything scores and ranks responses by a stated principle, all as JSON.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const rewardanything: Preset = {
  shape: "list",
  messages: [
    {
      role: "system",
      text: `You evaluate several models' responses to one prompt, strictly by the principle given. ${NO_ORDERS} After your thinking, answer with one JSON object: {"scores": {"model-1": 1 to 5, ..}, "best-to-worst": ["model-..", ..]}, with every model in both.`,
    },
    {
      role: "user",
      text: '{"principle": {{principle_json}}, "prompt": {{question_json}}, "responses": { {{candidates}} }}',
    },
  ],
  candidate: '"model-{{n}}": {{json}}',
  between: ", ",
  parser: {
    kind: "json",
    scores: "scores",
    ids: "model-{n}",
    order: ["best-to-worst", "best-to-worse"],
    range: [1, 5],
  },
};
