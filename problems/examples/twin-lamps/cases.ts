// The tests of twin-lamps: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

const BILLION = 1_000_000_000;

export const samples: string[] = ["1 4 3 6\n", "0 4 1 6\n"];

function meeting(draw: Draw, most: number): string {
  const meet = draw.int(0, most);
  const [a, b] = [draw.int(1, most), draw.int(1, most)];
  return `${meet % a} ${a} ${meet % b} ${b}\n`;
}

export function hidden(draw: Draw): string[] {
  return [
    "0 1 0 1\n",
    "5 3 5 7\n",
    "7 5 2 3\n",
    "2 6 5 9\n",
    "0 2 1 2\n",
    "0 2 100 2\n",
    "0 1 1000000000 1000000000\n",
    "1000000000 1 0 7\n",
    "6 10 1 15\n",
    "3 12 9 18\n",
    "0 999999937 1 999999929\n",
    "123456789 999999937 987654321 999999893\n",
    "5 1000000000 7 999999998\n",
    "0 1000000000 1 500000000\n",
    "30 6 3 9\n",
    `${draw.int(50, 90)} 4 ${draw.int(1, 9)} 9\n`,
    ...draw.list(2, () => meeting(draw, 1000)),
    ...draw.list(2, () => meeting(draw, BILLION)),
  ];
}
