// The early-stop benchmark at small size: both arms decide every pair alike, close to what is
// possible is saved, and its figures are the same on every run.
import { expect, it } from "vitest";
import { benchEarlyStop, possibleSaving } from "../../bench/early-stop.ts";
import { arrivals, eventsOf, readReply, verifyBody } from "../../bench/early-stop-load.ts";

const SMALL = {
  rollouts: 6,
  samples: 8,
  groups: 12,
  calibration_groups: 4,
  alone_groups: 2,
  in_flight: 32,
  load_share: 0.7,
};

it("decides all pairs identically, saves nearly what is possible, and is deterministic", async () => {
  const figures = await benchEarlyStop(SMALL);
  const value = (name: string) => figures.find((figure) => figure.name === name)?.median as number;
  for (const rates of ["even", "polarised"]) {
    const name = `early stop, ${rates} pass rates`;
    expect(value(`${name}: identical decisions of 180 pairs`)).toBe(1);
    expect(value(`${name}: share of that saving reached`)).toBeGreaterThan(0.9);
    expect(value(`${name}: mean group latency reduced by`)).toBeGreaterThan(0.15);
    expect(value(`${name}, all: generations skipped or aborted`)).toBe(0);
  }
  for (const { name, median } of figures) expect(Number.isFinite(median), name).toBe(true);
  expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
  expect(await benchEarlyStop(SMALL)).toEqual(figures);
});

it("computes the possible saving from sampling one by one: 3 of 8 where all agree, none where they are split evenly", () => {
  const of = (places: readonly number[]) => ({
    pairs: [],
    saved: 0,
    completion_tokens: 0,
    votes: [places.map((place) => ({ verdict: { kind: "letter" as const, place }, completion_tokens: 10 }))],
  });
  expect(possibleSaving([of([0, 0, 0, 0, 0, 0, 0, 0])], 8)).toBe(3 / 8);
  expect(possibleSaving([of([0, 1, 0, 1, 0, 1, 0, 1])], 8)).toBe(0);
  expect(possibleSaving([of([1, 1, 1, 1, 1, 1, 1, 1]), of([0, 1, 0, 1, 0, 1, 0, 1])], 8)).toBe(3 / 16);
});

it("sends the same requests in both arms except for `stop`", () => {
  const size = { rollouts: 3, samples: 8 };
  const [all, early] = [verifyBody("g", size, "all"), verifyBody("g", size, "majority")];
  expect(early.replaceAll('"majority"', '"all"')).toBe(all);
  expect(verifyBody("h", size, "all")).not.toBe(all);
});

it("draws seeded arrivals with the requested mean gap", () => {
  const starts = arrivals(4_001, 5, 1);
  expect(arrivals(4_001, 5, 1)).toEqual(starts);
  expect(starts.every((at, n) => n === 0 || at > (starts[n - 1] as number))).toBe(true);
  expect((starts.at(-1) as number) / 4_000).toBeCloseTo(5, 0);
});

it("refuses an incomplete reply, so that a failure never counts as a fast result", () => {
  const usage = { generations: 8, saved: 0, failed: 0, prompt_tokens: 0, completion_tokens: 0, in_flight_max: 0 };
  const reply = (part: object) => eventsOf(JSON.stringify({ type: "done", usage: { ...usage, ...part } }));
  const size = { rollouts: 2, samples: 8 };
  expect(() => readReply(reply({}), size)).toThrow("0 verdicts");
  expect(() => readReply(reply({ failed: 8 }), size)).toThrow("incomplete reply");
  expect(() => readReply(reply({ generations: 7 }), size)).toThrow("incomplete reply");
  expect(() => readReply(eventsOf('{"type":"heartbeat","open":3}'), size)).toThrow("incomplete reply");
});
