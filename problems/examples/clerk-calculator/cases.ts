// The tests of clerk-calculator: the shown inputs and the hidden ones. Outputs come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

export const samples: string[] = ["2 + 3 * 4\n(2 + 3) * 4\n-7 / 2\n", "10 - 4 - 3\n8 / (4 - 4)\n"];

/** A random expression; `signs` allows a minus after an operator, `slash` allows divisions. */
function expression(draw: Draw, depth: number, options: { signs: boolean; slash: boolean }): string {
  if (depth === 0) return `${options.signs && draw.int(1, 4) === 1 ? "-" : ""}${draw.int(0, 12)}`;
  const left = expression(draw, depth - 1, options);
  const right = expression(draw, draw.int(0, depth - 1), options);
  const joined = `${left} ${draw.pick(options.slash ? ["+", "-", "*", "/"] : ["+", "-", "*"])} ${right}`;
  return draw.int(1, 3) === 1 ? `(${joined})` : joined;
}

const lines = (...expressions: string[]): string => `${expressions.join("\n")}\n`;

export function hidden(draw: Draw): string[] {
  const many = (count: number, depth: number, signs: boolean, slash: boolean) =>
    lines(...draw.list(count, () => expression(draw, depth, { signs, slash })));
  return [
    lines("0", "(2 - 9) / 3"),
    lines("42", "-1 / 3"),
    lines("-5 / 2"),
    lines("7 / 2 * 2"),
    lines("1 - 2 - 3 - 4"),
    lines("100 / 10 / 5", "2 * 3 / 4"),
    lines("3 * -5"),
    lines("-(4 - 11)", "-(-(3))"),
    lines("6 / -4", "-6 / -4"),
    lines("0 / 5", "-0", "0 * -3"),
    lines("5 / 0", "1 + 1", "0 / 0"),
    lines("1 / (1 / 2)"),
    lines("((((7))))", "(1+2)*(3-8)/4"),
    lines("9-3-2*2", "8+-3"),
    lines("(1 - 10) / 4", "(1 - 10) / 4 * 4"),
    lines("(0 - 17) / 5", "-(17 / 5)"),
    many(4, 3, false, false),
    many(4, 3, true, false),
    many(2, 2, false, true),
    many(12, 3, true, true),
  ];
}
