// `deepseek-grm` and `deepseek-grm-point`: DeepSeek-GRM writes principles, then scores from 1 to
// 10.
import { NO_ORDERS, type Preset } from "./preset.ts";

const ask = (form: string) =>
  `You rate responses to the conversation below. State the specific criteria that matter for it, with weights, analyse each response by them, then score from 1 to 10 where 10 is best. ${NO_ORDERS}\n\n[Conversation]\n{{question}}\n\n{{candidates}}\n\nWrite "Specific Criteria:", "Analysis:", and on the last line ${form}`;

export const deepseekGrm: Preset = {
  shape: "list",
  messages: [
    {
      role: "user",
      text: ask('"Scores: \\boxed{x, x}" with one number a response, {{count}} in all, in their order.'),
    },
  ],
  candidate: "[The Begin of Response {{n}}]\n{{text}}\n[The End of Response {{n}}]",
  parser: { kind: "numbers", range: [1, 10] },
};

export const deepseekGrmPoint: Preset = {
  ...deepseekGrm,
  shape: "point",
  messages: [{ role: "user", text: ask('"Score: \\boxed{x}".') }],
  candidate: "[The Begin of Response]\n{{text}}\n[The End of Response]",
};
