// Guarantees that the search for costly texts finds superlinear costs, and neither merely long texts nor the
// base cost of a request.
import { expect, test } from "vitest";
import { costFinder, SHAPES } from "../fuzz/cost.ts";
import { costProbes } from "../fuzz/cost-probes.ts";

const [repeated] = SHAPES as [(typeof SHAPES)[number]];
/** What is found of a request that takes so much CPU, ms, by the length of its text. */
function foundOf(
  msOf: (length: number) => number,
  {
    slowness = 1,
    chars_max = 65_536,
    other_chars = 0,
  }: { slowness?: number; chars_max?: number; other_chars?: number } = {},
) {
  let cpu_ms = 0;
  const finding = costFinder(slowness, () => cpu_ms);
  const send = async (text: string) => {
    cpu_ms += msOf(text.length);
  };
  return finding({ name: "p", own_text: "aa", chars_max, other_chars, send }, "a", repeated);
}
const KIB = 1024;
const linear = (length: number) => (5 * length) / KIB;
const square = (length: number) => (length / KIB) ** 2;
const cube = (length: number) => (length / KIB / 2) ** 3;

test("a text with cubic or quadratic cost is found, one with linear cost is not", async () => {
  expect(await foundOf(cube)).toMatchObject({ probe: "p", unit: "a", exponent: expect.closeTo(3) });
  expect(await foundOf(square)).toMatchObject({ probe: "p", unit: "a", exponent: expect.closeTo(2) });
  expect(await foundOf(linear)).toBeNull();
});

test("a text that costs far too much is found even if its cost barely grows", async () => {
  expect(await foundOf((length) => (length > 2 ? 3000 : 1), { chars_max: 8192 })).toMatchObject({ base_ms: 1 });
});

test("the cost of a request with its original text is not a finding, nor is noise; the cost that a text adds is", async () => {
  const short = { chars_max: 4, other_chars: 4096 };
  for (const base_ms of [50, 500, 5000]) {
    let requests = 0;
    expect(await foundOf(() => base_ms, short)).toBeNull();
    expect(await foundOf(() => base_ms * (requests++ % 2 ? 1.9 : 1), short)).toBeNull();
    expect(await foundOf((length) => base_ms + linear(length))).toBeNull();
    expect(await foundOf((length) => base_ms * (1 + cube(length)))).not.toBeNull();
  }
});

test("a slower machine finds no more and no less", async () => {
  const slowness = 4;
  const nearly = (length: number) => (90 * length) / KIB;
  expect(await foundOf(nearly)).toBeNull();
  expect(await foundOf((length) => slowness * nearly(length), { slowness })).toBeNull();
  expect(await foundOf((length) => slowness * cube(length), { slowness })).toMatchObject({
    exponent: expect.closeTo(3),
  });
});

test("every text field of every synchronous route is probed, and so are headers and paths", async () => {
  const names = (await costProbes()).map(({ name }) => name);
  for (const part of [
    "/v1/rewards ",
    "/v1/verdicts ",
    "signal fuzzy_match ",
    "header content-type",
    "path",
    "query",
    "/v1/specs/check ",
  ]) {
    expect(
      names.some((name) => name.startsWith(part)),
      part,
    ).toBe(true);
  }
});
