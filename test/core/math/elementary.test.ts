// Fixed arithmetic: recorded bits, nearness to what the engine computes, and that nothing else is used
// where rewards are decided.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as elementary from "../../../src/core/math/elementary.ts";
import { createRandom } from "../../../src/core/math/random.ts";
import { bitsNow, CASES, differing } from "./recorded-bits.ts";

describe("elementary functions", () => {
  // `RECORD=1` writes the bits anew: a change of rewards in the last place, which CHANGELOG tells.
  it("have the recorded bits, as in workerd (test/workerd/reward-bits.test.ts)", () => {
    if (process.env.RECORD === "1") {
      const lines = CASES.map(({ of, input }) => JSON.stringify({ of, input, bits: bitsNow({ of, input }) }));
      writeFileSync(new URL("../../vectors/reward-bits.json", import.meta.url), `[\n${lines.join(",\n")}\n]\n`);
      return;
    }
    expect(CASES.length).toBeGreaterThan(300);
    expect(differing()).toEqual([]);
  });

  /** Units in the last place of the larger number. */
  const apart = (a: number, b: number) =>
    a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Math.abs(a - b) / (Math.abs(b) * Number.EPSILON);

  it.each([
    ["exp", Math.exp, elementary.exp, -700, 709, 2],
    ["log", Math.log, elementary.log, 1e-12, 20, 2],
    ["log1p", Math.log1p, elementary.log1p, 0, 1, 3],
    ["tanh", Math.tanh, elementary.tanh, -9, 9, 6],
    ["cos", Math.cos, elementary.cos, 0, 1.5, 3],
    ["power", (x: number) => x ** 0.3, (x: number) => elementary.power(x, 0.3), 0, 20, 8],
    ["whole power", (x: number) => x ** 5, (x: number) => elementary.power(x, 5), -20, 20, 8],
  ] as const)("%s is near the engine's own", (_, engine, own, from, to, most) => {
    const random = createRandom(7);
    for (let k = 0; k < 20_000; k++) {
      const x = from + (to - from) * random();
      expect(apart(own(x), engine(x)), String(x)).toBeLessThanOrEqual(most);
    }
  });

  it("are exact where the answer is", () => {
    const { exp, log, log2, power, tanh, cos, sigmoid } = elementary;
    expect([exp(0), exp(-Infinity), exp(Infinity), exp(710), exp(-746)]).toEqual([1, 0, Infinity, Infinity, 0]);
    expect([log(1), log(0), log(Infinity), log(-1)]).toEqual([0, -Infinity, Infinity, Number.NaN]);
    expect([power(2, 10), power(2, -3), power(9, 0.5), power(-2, 3), power(0, 0), power(0, 2), power(10, 15)]).toEqual([
      1024, 0.125, 3, -8, 1, 0, 1e15,
    ]);
    expect([tanh(0), tanh(40), tanh(-40), cos(0), cos(Math.PI), sigmoid(0)]).toEqual([0, 1, -1, 1, -1, 0.5]);
    for (let k = -1022; k <= 1023; k++) expect(log2(2 ** k)).toBe(k);
    for (const x of [Number.NaN, 5e-324, 1e-310]) expect(log(x)).toBe(Math.log(x));
  });

  it("are the only ones where rewards are decided", () => {
    const ENGINE =
      /Math\.(?:exp|expm1|log\w*|pow|a?(?:sin|cos|tan)h?|atan2|hypot|cbrt)\b|(?<!\b2)(?<!\d\d*n) \*\* (?!\d+n)/;
    const ELSEWHERE = [
      "src/core/health/", // alarms
      "src/core/wire/", // back-off
      "src/core/math/elementary.ts",
      "src/core/candidate/answers/exact-number.ts", // decides within 1e-9 by exact arithmetic
      "src/core/candidate/answers/exact-algebra.ts", // powers of BigInt are exact
    ];
    const found = globSync("src/{core,scoring}/**/*.ts").flatMap((path) => {
      if (ELSEWHERE.some((place) => path.startsWith(place))) return [];
      const lines = readFileSync(path, "utf8").split("\n");
      return lines.flatMap((line, at) =>
        !/^\s*(?:\*|\/)/.test(line) && ENGINE.test(line) ? [`${path}:${at + 1}`] : [],
      );
    });
    expect(found).toEqual([]);
  });
});
