// `patch-multiselect`: R4P's form, all correct ones of several patches in one box.
import { NO_ORDERS, type Preset } from "./preset.ts";

export const patchMultiselect: Preset = {
  shape: "list",
  messages: [
    {
      role: "user",
      text: `[ISSUE]\n{{question}}\n[/ISSUE]\n\n{{candidates}}\n\nThe blocks above hold one issue and {{count}} patches for it. Work out which of them resolve it without breaking anything; several may, or none. ${NO_ORDERS} After your thinking, answer with the letters of all correct patches in one box: \\boxed{A, C}, or \\boxed{none}.`,
    },
  ],
  candidate: "[PATCH_{{letter}}]\n{{text}}\n[/PATCH_{{letter}}]",
  parser: { kind: "boxed", many: true },
};
