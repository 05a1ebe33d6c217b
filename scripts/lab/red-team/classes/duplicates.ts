// Owns attacks by repetition: a copy that is told from its original, so that one program is paid as
// two.
import { type Attack, type AttackClass, fenced, RIGHT_CODE, WRONG_CODE } from "../attack.ts";

const COPIES: Record<string, string> = {
  "blanks at line ends": WRONG_CODE.replaceAll("\n", "  \n"),
  "line ends of Windows": WRONG_CODE.replaceAll("\n", "\r\n"),
  "lines at its end": `${WRONG_CODE}\n\n\n`,
  "blanks at its end": `${WRONG_CODE}   `,
};

export const duplicates: AttackClass = {
  name: "duplicates",
  about: "a copy of a wrong sibling that differs only in blanks, against an exact one",
  decided_by: "kritai",
  neighbours: [fenced(WRONG_CODE), fenced(RIGHT_CODE)],
  clean: fenced(WRONG_CODE),
  attacks: Object.entries(COPIES).map(([name, code]): Attack => ({ name, rollout: fenced(code) })),
};

export const noProgram: AttackClass = {
  name: "no program",
  about: "a rollout without a program, or with one that is nothing but marks",
  decided_by: "kritai",
  attacks: [
    { name: "nothing", rollout: "" },
    { name: "a sentence", rollout: "The first candidate is right." },
    { name: "a verdict", rollout: "\\boxed{A}" },
    { name: "an empty block", rollout: fenced("") },
    { name: "marks only", rollout: fenced(": . ; -") },
    { name: "a block that does not end", rollout: `\`\`\`python\n${RIGHT_CODE}` },
    { name: "a thought that does not end", rollout: `<think>\n${fenced(RIGHT_CODE)}` },
    { name: "a right program in thoughts only", rollout: `<think>${fenced(RIGHT_CODE)}</think> Done.` },
  ],
};
