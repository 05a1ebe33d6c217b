// The guarantees on literal values: what is read, that writing is its inverse, and what counts as equal.

import { describe, expect, test } from "vitest";
import {
  parseLiteral,
  parseLiterals,
  sameValue,
  type Value,
  writeLiteral,
} from "../../../gpu-backend/engines/cpu/literals.ts";
import fc from "../../harness/property.ts";

const number = fc.oneof(fc.bigInt(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((n) => ({
  number: Object.is(n, -0) ? "0" : String(n),
}));
const value: fc.Memo<Value> = fc.memo((n) =>
  n <= 1
    ? fc.oneof(fc.constant(null), fc.boolean(), fc.string(), number)
    : fc.oneof(
        value(1),
        fc.array(value(n - 1), { maxLength: 3 }).map((list) => ({ list })),
        fc.array(value(n - 1), { maxLength: 3 }).map((tuple) => ({ tuple })),
        fc.array(fc.tuple(fc.string(), value(n - 1)), { maxLength: 3 }).map((dict) => ({ dict })),
      ),
);

describe("reading and writing", () => {
  test("reading what was written in Python gives the value back", () => {
    fc.assert(
      fc.property(value(3), (v) => {
        expect(parseLiteral(writeLiteral(v, "python"))).toEqual(v);
      }),
    );
  });

  test("no text makes the reader throw or hang", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseLiterals(text)));
    expect(parseLiteral("[".repeat(100_000))).toBeUndefined();
  });

  test.each([
    ["[1, 2.5, -3]", { list: [{ number: "1" }, { number: "2.5" }, { number: "-3" }] }],
    ["(1,)", { tuple: [{ number: "1" }] }],
    ["(1)", { number: "1" }],
    [
      "{'a': None, \"b\": true}",
      {
        dict: [
          ["a", null],
          ["b", true],
        ],
      },
    ],
    ["{a: 1}", { dict: [["a", { number: "1" }]] }],
    ["{1, 2}", { set: [{ number: "1" }, { number: "2" }] }],
    ["'it\\'s \\n \\u0041'", "it's \n A"],
    ["1_000_000", { number: "1000000" }],
    ["12345678901234567890n", { number: "12345678901234567890" }],
  ])("%s is read", (text, expected) => {
    expect(parseLiteral(text)).toEqual(expected);
  });

  test.each(["x", "[1, x]", "1 2", "'open", "[1, 2", "f(1)", "1 + 1", "{1: 2, 3}", ""])("%s is no literal", (text) => {
    expect(parseLiteral(text)).toBeUndefined();
  });
});

describe("equality", () => {
  const same = (a: string, b: string, strict: boolean) =>
    sameValue(parseLiteral(a) as Value, parseLiteral(b) as Value, { strict });

  test.each([
    ["[1, 2]", "[1, 2]", true, true],
    ["[1, 2]", "(1, 2)", true, false],
    ["[1, 2]", "(1, 2)", false, true],
    ["0.3", "0.30000000000000004", true, false],
    ["0.3", "0.30000000000000004", false, true],
    ["2", "2.0", true, true],
    ["9007199254740993", "9007199254740992", false, false],
    ["True", "1", true, true],
    ["'1'", "1", false, false],
    ["{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", true, true],
    ["{1: 2}", "{'1': 2}", false, true],
    ["{1: 2}", "{'1': 2}", true, false],
    ["{1, 2}", "{2, 1}", true, true],
    ["[]", "None", false, false],
    ["[1]", "[1, 2]", false, false],
  ])("%s against %s (strict %s): %s", (a, b, strict, expected) => {
    expect(same(a, b, strict)).toBe(expected);
  });
});
