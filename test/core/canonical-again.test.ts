// A canonical spec, as it is stored and shown, is a spec: read again it is itself, under its hash.
import { expect, test } from "vitest";
import { AnySpecSchema } from "../../src/core/reward/signals-spec.ts";
import { specHash } from "../../src/scoring/digest.ts";

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
  const spec = AnySpecSchema.parse(given);
  const stored = JSON.parse(JSON.stringify(spec));
  const again = AnySpecSchema.parse(stored);
  expect(JSON.parse(JSON.stringify(again))).toEqual(stored);
  expect(await specHash(again)).toBe(await specHash(spec));
});
