// The requests the benchmark sends: verdict items and groups of rollouts, the same on every run.

const VERDICTS = ["\\boxed{A}", "\\boxed{C}", "Therefore \\boxed{B}.", "I cannot tell.", "\\boxed{E}"];

/** A list_em request of `count` items of some 90 characters, every fifth without a verdict. */
export function verdictsBody(count: number): string {
  const items = Array.from({ length: count }, (_, i) => ({
    text: `<think>\nStep ${i}: candidate B reads past the end.\n</think>\n${VERDICTS[i % VERDICTS.length]}`,
    candidates: 5,
    correct: i % 5,
    length_tokens: 20 + (i % 400),
  }));
  return JSON.stringify({ formulation: "list_em", items });
}

export interface Batch {
  groups: number;
  rollouts: number;
  /** Characters of thought before each program. */
  thoughts: number;
  /** Lines of each program, some 54 characters each; default 24. */
  lines?: number;
}

const PROGRAM_LINES = 24;

function program(group: number, rollout: number, count: number): string {
  const lines = Array.from(
    { length: count },
    (_, line) => `        total += (value * ${line + group}) % ${7 + rollout}  # line ${line} of ${rollout}`,
  );
  return `def solve(values):\n    total = 0\n    for value in values:\n${lines.join("\n")}\n    return total\n`;
}

function thoughts(chars: number, group: number, rollout: number): string {
  const line = `Let me check n = ${group * 31 + rollout}: the loop runs twice, then "left" meets "right" and we stop.\n`;
  return line.repeat(Math.ceil(chars / line.length)).slice(0, chars);
}

/** A pairwise request: every rollout holds another program in the last block, and a label. */
export function rewardsRequest({ groups, rollouts, thoughts: chars, lines = PROGRAM_LINES }: Batch) {
  return {
    run_id: "bench",
    step: 1,
    spec: { judge: { mode: "pairwise", schedule: "round_robin" } },
    deadline_ms: 120_000,
    groups: Array.from({ length: groups }, (_, g) => ({
      prompt: `Problem ${g}. Given n numbers, print their weighted total modulo a prime.\n`.repeat(8),
      language: "python",
      rollouts: Array.from({ length: rollouts }, (_, r) => ({
        text: `<think>\n${thoughts(chars, g, r)}</think>\nHere is my program.\n\n\`\`\`python\n${program(g, r, lines)}\`\`\`\n`,
        length_tokens: 400 + 10 * r,
        finish_reason: "stop",
        pass_rate: ((r * 7) % rollouts) / rollouts,
      })),
    })),
  };
}

/** Comparisons of the batch: every pair of its groups once. */
export const comparisonsOf = ({ groups, rollouts }: Batch): number => (groups * rollouts * (rollouts - 1)) / 2;
