// The tests of broken-stairs: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (n: number, rotten: readonly number[]): string =>
  rotten.length === 0 ? `${n} 0\n` : `${n} ${rotten.length}\n${rotten.join(" ")}\n`;

export const samples: string[] = ["5 1\n3\n", "7 2\n5 2\n"];

function randomStairs(draw: Draw, n: number, share: number): string {
  const steps = Array.from({ length: n }, (_, i) => i + 1).filter(() => draw.int(1, 100) <= share);
  return render(n, steps.reverse());
}

export function hidden(draw: Draw): string[] {
  return [
    render(1, []),
    render(1, [1]),
    render(2, []),
    render(3, [1, 2]),
    render(4, []),
    render(4, [1, 2, 3]),
    render(9, [9]),
    render(10, [4, 5]),
    render(12, [3, 6, 9]),
    render(13, []),
    ...draw.list(2, () => randomStairs(draw, draw.int(8, 16), 20)),
    randomStairs(draw, 60, 4),
    randomStairs(draw, 400, 6),
    randomStairs(draw, 450, 5),
    render(1000, []),
    randomStairs(draw, 1800, 3),
    randomStairs(draw, 3000, 8),
    render(5000, []),
    render(5000, [4998, 4999, 5000]),
  ];
}
