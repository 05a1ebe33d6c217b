// Invariant 8: Every list, loop, wait and retry has a named limit; inner deadlines are shorter than
// outer ones.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
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
  it("each have a heading in docs/errors.md, and no heading is left over", () => {
    const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
    const codes = page.split("\n# Warnings")[0] as string;
    const headings = [...codes.matchAll(/^#{2,4} `?([a-z_]+)`?\s*$/gm)].map((match) => match[1] as string);
    const known = new Set([...Object.keys(REQUEST_ERRORS), ...Object.keys(ITEM_ERRORS)]);
    expect(headings.sort()).toEqual([...known].sort());
  });
});
