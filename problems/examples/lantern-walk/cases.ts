// The tests of lantern-walk: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const render = (rows: readonly string[]): string => `${rows.length} ${rows[0]?.length ?? 0}\n${rows.join("\n")}\n`;

export const samples: string[] = ["3 3\nS.#\n.#.\n..E\n", "4 4\nS#..\n.#..\n.##.\n.#.E\n"];

function randomGarden(draw: Draw, height: number, width: number, hedges: number): string {
  const squares = draw.list(height, () => draw.list(width, () => (draw.int(1, 100) <= hedges ? "#" : ".")));
  (squares[0] as string[])[0] = "S";
  (squares[height - 1] as string[])[width - 1] = "E";
  return render(squares.map((row) => row.join("")));
}

export function hidden(draw: Draw): string[] {
  return [
    render(["SE"]),
    render(["S", "#", "E"]),
    render(["S##E"]),
    render(["S#.#E"]),
    render(["S#.", "##.", "..E"]),
    render(["S##", "###", "##E"]),
    // The quick way to the middle spends the ladder that the last hedge needs.
    render(["S.....", "#####.", "......", ".#####", ".....#", "####.#", "E#...."]),
    render(["S#...", ".#.#.", "...#.", "####.", "E#..."]),
    render(["S#.#E", ".#.#.", ".....", "#####", "....."]),
    render(["E.#.S", "..#..", "..#..", "..#..", "..#.."]),
    render(["S.#", "..#", "###", "#..", "#.E"]),
    ...draw.list(3, () => randomGarden(draw, 6, 6, 40)),
    ...draw.list(2, () => randomGarden(draw, 5, 9, 40)),
    ...draw.list(2, () => randomGarden(draw, 9, 9, 48)),
    randomGarden(draw, 20, 20, 35),
    randomGarden(draw, 30, 12, 38),
  ];
}
