// Which turn of each run an answer names, whatever else it writes.
import { describe, expect, test } from "vitest";
import { PRESETS } from "../../lab/templates/index.ts";
import { turnsNamed } from "../../src/core/judges/named-turns.ts";

const pair = PRESETS["trajectory-pair"] ?? null;
const point = PRESETS["trajectory-point"] ?? null;

describe("turns that an answer names", () => {
  test.each([
    ['"turn A": 3, "turn B": 12. [[A]]', [3, 12]],
    ['"turn B": 12\n[[B]]', [null, 12]],
    ['"turn A": 3 or rather "turn A": "4", "turn C": 9 [[A]]', [4, null]],
    ['<think>"turn A": 3</think>[[A]]', null],
    ['"turn": 3 [[A]]', null],
    ["turn A is 3 [[A]]", null],
    ['"turn A": -3, "turn B": 12345678 [[A]]', null],
    ['"turn A": 3 <think>', null],
  ])("of two runs: %s", (answer, turns) => {
    expect(turnsNamed(pair, answer, 2)).toEqual(turns);
  });

  test.each([
    ['{"explanation": "..", "turn": 2, "grade": 5}', [2]],
    ['{"turn" : "7", "grade": 5}', [7]],
    ['{"turn A": 7, "grade": 5}', [7]],
    ['{"turn": "none", "grade": 5}', null],
  ])("of one run: %s", (answer, turns) => {
    expect(turnsNamed(point, answer, 1)).toEqual(turns);
  });

  test("are read of presets alone that ask for them", () => {
    for (const [name, preset] of Object.entries(PRESETS)) {
      const asks = preset.messages.some(({ text }) => text.includes('"turn'));
      expect(turnsNamed(preset, '"turn A": 3', 2) !== null, name).toBe(asks);
    }
    expect(turnsNamed(null, '"turn": 3', 1)).toBeNull();
  });

  test("are found in linear time, however the answer repeats itself", () => {
    const long = `${'"turn A": '.repeat(100_000)}"turn B": 5`;
    expect(turnsNamed(pair, long, 2)).toEqual([null, 5]);
  });
});
