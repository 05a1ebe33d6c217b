// Invariant 8: Every list, loop, wait and retry has a named limit; inner deadlines are shorter than
// outer ones.
import { describe, expect, it } from "vitest";
import { errorEntries } from "../../scripts/build/guides/errors.ts";
import { ITEM_ERRORS, REQUEST_ERRORS } from "../../src/core/faults/errors.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { LIMIT_RELATIONS } from "./limit-relations.ts";

describe("limits", () => {
  it.each(LIMIT_RELATIONS)("%s", (_, holds) => {
    expect(holds).toBe(true);
  });

  it("are positive whole numbers, but for shares and probabilities", () => {
    const fractions = ["logprob_max", "tolerance_max"];
    for (const [name, value] of Object.entries(LIMITS))
      expect([name, Number.isInteger(value) !== fractions.includes(name) && value > 0]).toEqual([name, true]);
  });
});

describe("error codes", () => {
  it("each have a line in docs/errors.jsonl with cause and remedy, once", () => {
    const entries = errorEntries();
    const known = new Set([...Object.keys(REQUEST_ERRORS), ...Object.keys(ITEM_ERRORS)]);
    expect(entries.filter(({ kind }) => kind !== "warning").map(({ code }) => code)).toHaveLength(known.size);
    expect(entries.filter(({ cause, remedy }) => !/\w/.test(cause) || !/\w/.test(remedy))).toEqual([]);
  });
});
