// Generates asserts on a function's result in Python and JavaScript, for dataset rows that give arguments and
// results as JSON. The sandbox compares the expected value in a run without the program's code (../wire).
import { TOLERANCE } from "../text/decimal-tokens.ts";
import type { TestCase } from "./test-cases.ts";

type Call = Pick<TestCase, "args" | "returns" | "is_wrapped" | "tolerance"> & { fn_name: string };

/** A JSON string is a valid string literal in both languages. */
const literal = (text: string) => JSON.stringify(text);

function inPython({ fn_name, args = "[]", returns = "null", is_wrapped }: Call): string {
  const wanted = `__from_json__(${literal(returns)})`;
  const alone = is_wrapped === true ? ` or __result__ == ${wanted}[0]` : "";
  const call = `__result__ = __as_json__(${fn_name}(*__from_json__(${literal(args)})))`;
  return `${call}\nassert __result__ == ${wanted}${alone}\n`;
}

/** Compares fractions within the tolerance and integers exactly; treats undefined as null. */
const SAME_IN_JAVASCRIPT = `const __same = (a, b) => {
  if (typeof a === "bigint") return a == b;
  if (typeof a === "number" && typeof b === "number")
    return a === b || (!Number.isInteger(b) && Math.abs(a - b) <= __tolerance * Math.max(1, Math.abs(b)));
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && b.every((item, i) => __same(a[i], item));
  if (typeof b !== "object" || b === null) return (a ?? null) === b;
  if (typeof a !== "object" || a === null) return false;
  const keys = Object.keys(b);
  return Object.keys(a).length === keys.length && keys.every((key) => Object.hasOwn(a, key) && __same(a[key], b[key]));
};`;

function inJavaScript({ fn_name, args = "[]", returns = "null", is_wrapped, tolerance }: Call): string {
  const wanted = `JSON.parse(${literal(returns)})`;
  const alone = is_wrapped === true ? ` || __same(value, ${wanted}[0])` : "";
  return `class AssertionError extends Error {}
const __tolerance = ${tolerance ?? TOLERANCE};
${SAME_IN_JAVASCRIPT}
const __check = (value) => { if (!(__same(value, ${wanted})${alone})) throw new AssertionError(); };
const __result = ${fn_name}(...JSON.parse(${literal(args)}));
if (__result instanceof Promise) __result.then(__check); else __check(__result);
`;
}

const WRITERS = { python: inPython, javascript: inJavaScript };

/** Code that calls the function of a test case and asserts its result. */
export const assertOf = (call: Call, language: keyof typeof WRITERS): string => WRITERS[language](call);
