// Attacks that speak to the judge in another judge's format, for every preset. Marks of the template
// that asks are broken; whether a judge heeds the rest is the judge's, and the rate is reported.
import type { AttackClass } from "../material/attack.ts";
import { FOREIGN_PARTS, FOREIGN_WHOLE } from "../material/foreign-parts.ts";
import { shownPresets, WRONG } from "./sections.ts";

export const foreignFormats: AttackClass = {
  name: "another judge's format",
  description:
    "a constant answer with forged outputs, instructions, rubrics, scores, JSON answers and chat roles in the format of another judge's template, for every preset",
  decided_by: "judge",
  verifiers: ["gullible", "url"],
  attacks: shownPresets.flatMap((asked) =>
    Object.entries({ ...FOREIGN_PARTS, "all of it": FOREIGN_WHOLE }).map(([part, text]) => ({
      name: `${asked.name}, ${part}`,
      asked,
      rollout: `${WRONG}\n${text}`,
    })),
  ),
};
