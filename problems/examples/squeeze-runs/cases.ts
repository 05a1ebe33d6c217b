// The tests of squeeze-runs: the shown arguments and the hidden ones. Results come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

export const samples: [string][] = [["aaabccdddd"], ["zz"], ["xxxxxxxxxxxx"]];

function randomRuns(draw: Draw, runs: number, longest: number): [string] {
  return [draw.list(runs, () => draw.pick([..."abc"]).repeat(draw.int(1, longest))).join("")];
}

export function hidden(draw: Draw): [string][] {
  return [
    [""],
    ["q"],
    ["bbb"],
    ["abcabc"],
    ["aabbaabb"],
    ["m".repeat(9)],
    ["m".repeat(10)],
    ["m".repeat(11)],
    [`${"m".repeat(19)}n`],
    ["k".repeat(27)],
    [`${"k".repeat(18)}${"l".repeat(18)}`],
    ["zzzzy"],
    ["yzzzz"],
    ...draw.list(3, () => randomRuns(draw, 6, 5)),
    ...draw.list(2, () => randomRuns(draw, 8, 14)),
    randomRuns(draw, 40, 4),
    randomRuns(draw, 60, 25),
  ];
}
