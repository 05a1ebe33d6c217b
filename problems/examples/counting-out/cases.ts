// The tests of counting-out: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (n: number, counts: readonly number[]): string => `${n} ${counts.length}\n${counts.join(" ")}\n`;

export const samples: string[] = [render(5, [2, 3, 1, 4, 1]), render(4, [1, 1, 1, 1])];

const randomCircle = (draw: Draw, n: number, m: number, most: number): string =>
  render(
    n,
    draw.list(m, () => draw.int(1, most)),
  );

export function hidden(draw: Draw): string[] {
  return [
    render(1, [1]),
    render(2, [2]),
    render(6, [2]),
    render(7, [3]),
    render(5, [5, 4, 3, 2, 1]),
    render(3, [7, 8, 9]),
    render(10, [2, 3]),
    render(4, [4, 4, 4, 4, 4, 4]),
    randomCircle(draw, 8, 8, 20),
    randomCircle(draw, 12, 12, 100),
    randomCircle(draw, 20, 20, 1000),
    randomCircle(draw, 30, 7, 50),
    randomCircle(draw, 40, 40, 5000),
    randomCircle(draw, 60, 100, 300),
    randomCircle(draw, 150, 11, 4000),
    randomCircle(draw, 200, 200, 2000),
    // Last, because they end a program that counts child by child.
    render(1, [1_000_000_000_000]),
    render(3, [2_147_483_648, 1, 1]),
    render(5, [4_294_967_297, 2, 2, 2, 2]),
    render(6, [999_999_999_999, 999_999_999_998, 7, 7, 7, 7]),
  ];
}
