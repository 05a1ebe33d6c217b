// What follows the messages of a signal of the kind `label_model`: the labels and the answer's
// form.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const labelModel: Preset = {
  shape: "point",
  messages: [
    {
      role: "user",
      text: `Choose the label that fits:\n{{rubric}}\n${NO_ORDERS} End your answer with its letter in a box and nothing behind it: \\boxed{letter}.`,
    },
  ],
  candidate: "{{text}}",
  parser: { kind: "boxed", labels: [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"] },
};
