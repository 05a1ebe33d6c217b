// Measures the size of an expression: the nesting of repetitions and the number of instructions. Independent
// of the limits.
import type { Regex } from "./parse.ts";

interface RegexShape {
  /** Nesting depth of unbounded repetitions (`*`, `+`, `{n,}`): 1 for `a+b+`, 2 for `(a+)+`. */
  starHeight: number;
  /** The largest product of nested counted repetitions, at least 1: for example 6 for `(a{2}b){3}`. */
  repeat: number;
  /** Number of instructions after counted repetitions are expanded, including the final instruction. */
  instructions: number;
}

const maxOf = (values: readonly number[]) => Math.max(0, ...values);

/** Computes the sizes of an expression. They are always finite and grow with the tree. */
export function regexShape(regex: Regex): RegexShape {
  const { starHeight, repeat, size } = shapeOf(regex);
  return { starHeight, repeat, instructions: size + 1 };
}

function shapeOf(regex: Regex): { starHeight: number; repeat: number; size: number } {
  if (regex.is === "one" || regex.is === "place") return { starHeight: 0, repeat: 1, size: 1 };
  if (regex.is === "repeat") {
    const { starHeight, repeat, size } = shapeOf(regex.operand);
    const { min } = regex;
    const copies = Math.max(1, min, regex.max ?? 0);
    const branches = regex.max === null ? 1 : regex.max - min;
    const star = regex.max === null ? 1 : 0;
    return { starHeight: starHeight + star, repeat: repeat * copies, size: size * copies + branches };
  }
  const parts = regex.parts.map(shapeOf);
  const branches = regex.is === "either" ? parts.length - 1 : 0;
  return {
    starHeight: maxOf(parts.map((part) => part.starHeight)),
    repeat: Math.max(1, maxOf(parts.map((part) => part.repeat))),
    size: parts.reduce((sum, part) => sum + part.size, branches),
  };
}
