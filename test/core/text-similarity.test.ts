// The kind text_similarity agrees with rouge-score and rapidfuzz on recorded pairs and with the textbook's table of the
// longest common subsequence, takes the nearest of several references, and bounds what it compares.
import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { setUp } from "../api/routes/harness.ts";
import fc from "../harness/property.ts";
import vectors from "../vectors/text_similarity.json" with { type: "json" };
import { resultOf } from "./signals/prepared.ts";

type Metric = "fuzzy_match" | "rouge_1";

const similarity = (evaluation_metric: Metric, text: string, reference: string | string[], more: object = {}) =>
  resultOf({ kind: "text_similarity", evaluation_metric, ...more } as never, [text], { reference });
const alike = (...given: Parameters<typeof similarity>) => similarity(...given).scores[0]?.value;

test.each(["fuzzy_match", "rouge_1"] as const)("%s agrees with its library on every recorded pair", (metric) => {
  for (const row of vectors.cases) {
    expect(alike(metric, row.input, row.reference), `${row.input} | ${row.reference}`).toBeCloseTo(row[metric], 9);
  }
});

function byTable(a: string, b: string): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const unit of a) {
    const next = [0];
    [...b].forEach((other, j) => {
      next.push(unit === other ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
    });
    row = next;
  }
  return row.at(-1) as number;
}

test("fuzzy_match counts the longest common subsequence as the table does, over any number of characters", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 140 });
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [a, b] = [one.join(""), other.join("")];
      expect(alike("fuzzy_match", a, b)).toBe((2 * byTable(a, b)) / (a.length + b.length));
    }),
  );
});

test("of several references the nearest counts", () => {
  expect(alike("rouge_1", "the red fox", ["a dog", "The fox.", "red"])).toBe(0.8);
  expect(alike("fuzzy_match", "ab", ["b", "ab", ""])).toBe(1);
});

test("a rollout of more than reference_chars loses under fuzzy_match, and is compared by words under rouge_1", () => {
  const long = "a ".repeat(LIMITS.reference_chars);
  const lost = similarity("fuzzy_match", long, "a");
  expect([lost.scores[0], lost.details?.[0]]).toEqual([{ value: 0, code: null }, { unreadable: "too_long" }]);
  expect(similarity("fuzzy_match", long, "a", { unreadable: "null" }).scores[0]).toEqual({
    value: null,
    code: "too_long",
  });
  expect(alike("rouge_1", long, "a")).toBeCloseTo(2 / (LIMITS.reference_chars + 1), 9);
});

test.each<[string, string | string[], number]>([
  ["of exactly the limit are taken", ["x".repeat(LIMITS.reference_chars - 1), "x"], 200],
  ["of one character more in all are refused", ["x".repeat(LIMITS.reference_chars), "x"], 400],
])("references %s", async (_, reference, status) => {
  const spec = { signals: { like: { kind: "text_similarity", evaluation_metric: "fuzzy_match" } } };
  const reply = await setUp().post("/v1/rewards", {
    spec,
    groups: [{ prompt: "p", reference, rollouts: [{ text: "x" }] }],
  });
  expect(reply.status).toBe(status);
  if (status === 400) expect(await reply.text()).toContain("the limit reference_chars is 8192");
});
