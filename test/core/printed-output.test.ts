// Holds what a program printed to what it should have printed, by vectors, and bounds the cost of
// outputs that are meant to be costly.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sameNumber } from "../../src/core/text/decimal-tokens.ts";
import { sameOutput } from "../../src/core/text/printed-output.ts";
import { cpuMs } from "../harness/cpu-time.ts";

interface Vector {
  expected: string;
  actual: string;
  tolerance?: number;
  same: boolean;
}

const VECTORS = readFileSync(new URL("../vectors/printed_outputs.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Vector);

test("outputs are the expected ones, or are not, as the vectors say", () => {
  const wrong = VECTORS.filter(
    ({ expected, actual, tolerance, same }) => sameOutput(expected, actual, tolerance) !== same,
  );
  expect(wrong).toEqual([]);
});

test("integers of any length compare exactly", () => {
  const long = "7".repeat(1_000_000);
  expect(sameOutput(long, `${long.slice(1)}8`)).toBe(false);
  expect(sameOutput(long, `${long}.${"0".repeat(1_000_000)}`)).toBe(true);
  expect(sameOutput(`1${"0".repeat(4_400)}`, "1e4400")).toBe(true);
  expect(sameOutput(`1${"0".repeat(4_399)}1`, "1e4400")).toBe(false);
  expect(sameOutput(`${long}.5`, `${long}.25`)).toBe(true);
});

test.each([
  ["digits", "9".repeat(10_000_000)],
  ["zeros and a word", `${"0".repeat(10_000_000)}x`],
  ["a long exponent", `1e${"9".repeat(10_000_000)}`],
  ["an exponent of zeros", `1e${"0".repeat(10_000_000)}x`],
  ["points", ".".repeat(10_000_000)],
  ["brackets", "[".repeat(10_000_000)],
  ["blanks in a line", `${" ".repeat(10_000_000)}1`],
  ["empty lines", "\n".repeat(10_000_000)],
  ["empty lines and a word", `1${"\n".repeat(10_000_000)}2`],
  ["lines", "1\n".repeat(5_000_000)],
  ["tokens", "1.0 ".repeat(2_500_000)],
])("10 MB of %s cost little", (_, actual) => {
  const started = cpuMs();
  for (const expected of ["1.0 1.0", "1\n1"]) sameOutput(expected, actual);
  expect(cpuMs() - started).toBeLessThan(6_000);
});

test.each(["nan", "NaN", "inf", "-inf", "Infinity", "0x1p3", "1e", "", " ", "1 ", "١", "１"])(
  "%j is not a number",
  (token) => {
    for (const other of ["0", "0.0", "1", "1e400", token]) {
      expect(sameNumber(token, other, 1)).toBe(false);
      expect(sameNumber(other, token, 1)).toBe(false);
    }
  },
);
