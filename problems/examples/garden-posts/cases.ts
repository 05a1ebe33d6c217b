// The tests of garden-posts: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

type Point = readonly [number, number];

const render = (corners: readonly Point[]): string =>
  `${corners.length}\n${corners.map(([x, y]) => `${x} ${y}\n`).join("")}`;

export const samples: string[] = ["4\n0 0\n4 0\n4 4\n0 4\n", "3\n0 0\n5 0\n0 5\n"];

/** A skyline over the x axis: columns of random height, always simple; clockwise as listed. */
function skyline(draw: Draw, columns: number, tallest: number): Point[] {
  const roof = draw
    .list(columns, (i) => {
      const height = draw.int(1, tallest);
      return [
        [3 * i, height],
        [3 * i + 2, draw.int(1, tallest)],
      ] as Point[];
    })
    .flat();
  return [[-2, 0], ...roof, [3 * columns, 0]];
}

/** A garden that is star-shaped around the origin: corners on rising slopes, counter-clockwise. */
function star(draw: Draw, reach: number): Point[] {
  const [a, b, c, d] = draw.list(4, () => draw.int(2, reach)) as [number, number, number, number];
  return [
    [a, 0],
    [a - 1, b],
    [0, b + 1],
    [-c, b],
    [-c - 1, 0],
    [-c, -d],
    [0, -d - 1],
    [a - 1, -d],
  ];
}

/** Corners written as "x y, x y, ..". */
const corners = (text: string): string => `${text.split(", ").length}\n${text.replaceAll(", ", "\n")}\n`;

export function hidden(draw: Draw): string[] {
  return [
    corners("0 0, 1 0, 0 1"),
    corners("0 0, 0 4, 4 4, 4 0"),
    corners("0 0, 7 3, 2 9"),
    corners("0 0, 2 9, 7 3"),
    corners("-3 -3, 3 -3, 3 3, -3 3"),
    corners("0 0, 10 0, 10 2, 2 2, 2 10, 0 10"),
    corners("0 10, 2 10, 2 2, 10 2, 10 0, 0 0"),
    corners("0 0, 6 0, 3 5"),
    corners("-1000000 -1000000, 1000000 -1000000, 1000000 1000000, -1000000 1000000"),
    corners("-1000000 -1000000, -1000000 1000000, 1000000 999999"),
    corners("0 0, 3 0, 6 0, 6 3, 6 6, 0 6"),
    corners("0 0, 5 1, 10 0, 9 5, 10 10, 5 9, 0 10, 1 5"),
    corners("100 100, 105 105, 100 110, 95 105"),
    corners("0 0, 1 1, 2 0, 1 3"),
    ...draw.list(2, () => render(skyline(draw, 4, 12))),
    ...draw.list(2, () => render(star(draw, 30))),
    render(skyline(draw, 60, 900)),
    render(star(draw, 900_000)),
  ];
}
