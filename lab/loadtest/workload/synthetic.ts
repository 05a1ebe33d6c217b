// Groups made up from a seed: problems and programs of a given size, with labels that the simulator reads.
import type { Group } from "../../../src/core/contract/group.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";

export interface SyntheticSize {
  groups: number;
  rollouts: number;
  /** Characters of each program; single ones differ by up to a fifth. */
  candidate_chars: number;
}

const NAMES = ["total", "left", "right", "value", "index", "limit", "carry", "best"];

/** A program with its pass rate in a comment, in the notation of gpu-backend/engines/simulator. */
function program(chars: number, passRate: number, random: () => number): string {
  const pick = () => NAMES[Math.floor(random() * NAMES.length)] as string;
  const number = () => Math.floor(random() * 1000);
  const lines = [`# pass_rate=${passRate.toFixed(3)}`, "def solve(values):"];
  let length = 0;
  while (length < chars) {
    const line = `    ${pick()} = (${pick()} * ${number()} + ${pick()}) % ${number() + 2}`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
}

/** The same seed gives the same groups. */
export function syntheticGroups({ groups, rollouts, candidate_chars }: SyntheticSize, seed: number): Group[] {
  return Array.from({ length: groups }, (_, g) => {
    const random = createRandom(hashText("synthetic", seed, g));
    return {
      prompt: `Problem ${g}. Read n numbers and print their weighted total modulo a prime.\n`.repeat(6),
      language: "python",
      rollouts: Array.from({ length: rollouts }, (_, r) => {
        const passRate = r === 0 ? 1 : random() * 0.95;
        const chars = candidate_chars * (0.8 + 0.4 * random());
        return { text: `\`\`\`python\n${program(chars, passRate, random)}\n\`\`\``, pass_rate: passRate };
      }),
    };
  });
}
