// How large an expression is: how deep its repetitions nest, how many instructions it takes. Must not know
// limits.
import type { Regex } from "./parse.ts";

/** Sizes of an expression. */
interface RegexShape {
  /** Unbounded repetitions (`*`, `+`, `{n,}`) within one another: 1 for `a+b+`, 2 for `(a+)+`. */
  starHeight: number;
  /**
   * The largest product of counted repetitions within one another: 6 for `(a{2}b){3}`, at least 1.
   */
  repeat: number;
  /** Instructions when counted repetitions are written out, and the one that ends it. */
  instructions: number;
}

const maxOf = (values: readonly number[]) => Math.max(0, ...values);

/** Total: sizes only grow with the tree, and are finite. */
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
