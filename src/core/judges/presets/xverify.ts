// `xverify`: xVerify answers with one word, Correct or Incorrect.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const xverify: Preset = {
  shape: "reference",
  messages: [
    {
      role: "user",
      text: `Decide whether the final answer in the output sentence agrees with the correct answer. ${NO_ORDERS} Reply with one word: Correct or Incorrect.\n\nQuestion: """{{question}}"""\n\n{{candidates}}\n\nCorrect answer: {{reference}}\n\nJudgement:`,
    },
  ],
  candidate: 'Output sentence: """{{text}}"""',
  parser: { kind: "word", labels: ["Correct", "Incorrect"] },
  passing: ["Correct"],
};
