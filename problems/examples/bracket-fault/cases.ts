// The tests of bracket-fault: the shown arguments and the hidden ones. Results come from the reference.
import type { Draw } from "../../../lab/problems/draw.ts";

export const samples: [string][] = [["f(a[0], {b})"], ["(]"], ["(("]];

const PAIRS = ["()", "[]", "{}"] as const;

/** A well-nested text of about `size` characters. */
function nested(draw: Draw, size: number): string {
  if (size <= 1) return draw.pick(["", "x"]);
  const pair = draw.pick(PAIRS);
  const inside = draw.int(0, size - 2);
  return `${pair[0]}${nested(draw, inside)}${pair[1]}${nested(draw, size - 2 - inside)}`;
}

/** A well-nested text with one bracket replaced by another. */
function spoiled(draw: Draw, size: number): string {
  const text = nested(draw, size);
  const at = draw.int(0, text.length - 1);
  return `${text.slice(0, at)}${draw.pick([..."()[]{}"])}${text.slice(at + 1)}`;
}

export function hidden(draw: Draw): [string][] {
  return [
    [""],
    ["no brackets at all"],
    [")"],
    ["a]b"],
    ["([)]"],
    ["{[}]"],
    ["[(])"],
    ["())("],
    ["{(x[1] + y[2]) * z"],
    ["(a)(b)(c"],
    ["((((((((((]"],
    ["[[[[[[]]]]]]]"],
    ["{}[]()}"],
    [nested(draw, 40)],
    [nested(draw, 400)],
    [spoiled(draw, 20)],
    [spoiled(draw, 60)],
    [spoiled(draw, 200)],
    [`${nested(draw, 80)}(`],
    [`${"([{".repeat(300)}${"}])".repeat(300)}`],
  ];
}
