// A canonical spec, as it is stored and shown, is a spec: read again it is itself, under its hash.
import { expect, test } from "vitest";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { FlatSpecSchema } from "../../src/core/reward/flat-spec.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { asWritten } from "../../src/core/reward/spec-forms.ts";
import { specHash } from "../../src/scoring/digest.ts";

test("the spec named default is what the schema makes of an empty spec", () => {
  expect(DEFAULT_SPEC).toEqual(FlatSpecSchema.parse({}));
});

const signals = (settings: object) => ({ signals: { own: settings } });

test.each([
  [
    "today's form",
    { judge: { mode: "listwise", preset: "text-select" }, overlong: { max_tokens: 9, cache_tokens: 3 } },
  ],
  [
    "tournament",
    signals({ kind: "tournament", judge: { preset: "trajectory-pair", strength: "graded" }, schedule: "swiss" }),
  ],
  ["grade", signals({ kind: "grade", judge: { preset: "yes-no" } })],
  ["grade with all its defaults", signals({ kind: "grade" })],
  ["rubric", signals({ kind: "rubric", score: "weighted_mean" })],
  [
    "reference with a judge",
    signals({ kind: "reference", tiers: ["rules", "judge"], judge: { preset: "compassverifier" } }),
  ],
  ["scalar", signals({ kind: "scalar", squash: "par" })],
  ["steps", signals({ kind: "steps", source: "judge" })],
  ["steps of a model", signals({ kind: "steps", source: "prm", reduce: "softmin" })],
])("%s", async (_, given) => {
  const spec = SpecSchema.parse(given);
  const stored = JSON.parse(JSON.stringify(asWritten(spec)));
  const again = SpecSchema.parse(stored);
  expect(JSON.parse(JSON.stringify(asWritten(again)))).toEqual(stored);
  expect(await specHash(again)).toBe(await specHash(spec));
});

test.each([
  {},
  { judge: { schedule: { name: "anchored" }, both_orders: true, samples: 3 }, reward: "wins", seed: 4 },
  {
    format: { rules: ["fits", { regex: "^x" }], penalty: 0.5 },
    overlong: { max_tokens: 9, cache_tokens: 3, clamp: false },
  },
  { candidate: { extract: "whole" }, log_texts: true, log_verdicts: true, audit: { judge: { model: "m" } } },
])("a flat spec is shown, stored and logged as its author wrote it: %j", (given) => {
  expect(asWritten(SpecSchema.parse(given))).toEqual(FlatSpecSchema.parse(given));
});
