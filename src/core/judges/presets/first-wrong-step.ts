// `first-wrong-step`: any chat model names the first step of a solution that is wrong, in the form
// in which ProcessBench asks its critics (arXiv 2412.06559): paragraphs from 0, -1 where none is.
import { LIMITS } from "../../faults/limits.ts";
import { NO_ORDERS, type Preset } from "./preset.ts";

export const firstWrongStep: Preset = {
  shape: "steps",
  messages: [
    {
      role: "user",
      text: `[QUESTION]\n{{question}}\n[/QUESTION]\n\n{{candidates}}\n\nThe solution is cut into paragraphs, numbered from 0 in their tags. Check them one by one, in order, and stop at the first that is wrong: a false statement, a wrong calculation, a conclusion that does not follow. A paragraph that only builds on an earlier mistake is not the first. ${NO_ORDERS} End with the number of the first wrong paragraph as \\boxed{n}, or with \\boxed{-1} if none is wrong.`,
    },
  ],
  candidate: "[SOLUTION]\n{{text}}\n[/SOLUTION]",
  parser: { kind: "numbers", range: [-1, LIMITS.solution_steps_max - 1], whole: true },
};
