// The tests of charging-post: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (slots: readonly (readonly [number, number])[]): string =>
  `${slots.length}\n${slots.map(([s, e]) => `${s} ${e}\n`).join("")}`;

export const samples: string[] = ["4\n1 3\n2 5\n3 6\n6 8\n", "3\n0 100\n5 10\n20 30\n"];

function randomSlots(draw: Draw, count: number, span: number, longest: number): string {
  return render(
    draw.list(count, () => {
      const start = draw.int(0, span);
      return [start, start + draw.int(1, longest)];
    }),
  );
}

/** Slots that touch, under one long request that begins before them. */
function chain(draw: Draw, count: number): string {
  const length = draw.int(2, 40);
  const begin = draw.int(1, 500);
  const slots = draw.list(count, (i): [number, number] => [begin + i * length, begin + (i + 1) * length]);
  return render([[0, 1000], ...slots.reverse()]);
}

export function hidden(draw: Draw): string[] {
  return [
    render([]),
    render([[0, 1]]),
    render([
      [5, 9],
      [5, 9],
      [5, 9],
    ]),
    render([
      [1, 10],
      [9, 12],
      [11, 20],
    ]),
    render([
      [0, 2],
      [2, 4],
      [4, 6],
      [6, 8],
      [8, 10],
    ]),
    render([
      [0, 1_000_000],
      [999_999, 1_000_000],
    ]),
    render([
      [10, 20],
      [19, 22],
      [21, 40],
      [39, 42],
      [41, 60],
    ]),
    render([
      [3, 4],
      [2, 5],
      [1, 6],
      [0, 7],
    ]),
    render([
      [7, 8],
      [0, 3],
      [2, 8],
      [3, 7],
    ]),
    render([
      [0, 5],
      [4, 7],
      [6, 11],
      [10, 13],
      [12, 17],
    ]),
    render([
      [100, 200],
      [300, 400],
      [50, 60],
    ]),
    ...draw.list(5, () => chain(draw, draw.int(2, 9))),
    randomSlots(draw, 6, 1000, 200),
    randomSlots(draw, 8, 900_000, 60_000),
    randomSlots(draw, 60, 900_000, 90_000),
    randomSlots(draw, 200, 5000, 300),
  ];
}
