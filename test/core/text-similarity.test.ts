// Measures of how alike two texts are, held to rouge-score, nltk and rapidfuzz by recorded values,
// and the subsequence by bits to the textbook's table.

import { expect, test } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { type TextSimilaritySettings, textSimilarity } from "../../src/core/signals/text-similarity.ts";
import { commonSubsequence } from "../../src/core/text/common-subsequence.ts";
import fc from "../harness/property.ts";
import vectors from "../vectors/text_similarity.json" with { type: "json" };
import { preparedOf } from "./signals/prepared.ts";

const METRICS = [
  "fuzzy_match",
  "bleu",
  "gleu",
  "rouge_1",
  "rouge_2",
  "rouge_3",
  "rouge_4",
  "rouge_5",
  "rouge_l",
] as const;

function similarity(metric: TextSimilaritySettings["evaluation_metric"], input: string, reference: string) {
  const settings = { input: "{{sample.output_text}}", reference: "{{item.x}}", evaluation_metric: metric };
  const plan = textSimilarity.open(preparedOf([input], { item: { x: reference } }), settings, {} as never);
  return plan.result([]).scores[0];
}

test.each(METRICS)("%s agrees with its library on every recorded pair", (metric) => {
  for (const row of vectors.cases) {
    const value = similarity(metric, row.input, row.reference)?.value;
    expect(value, `${row.input} | ${row.reference}`).toBeCloseTo(row[metric], 9);
  }
});

function byTable(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const unit of a) {
    const next = [0];
    b.forEach((other, j) => {
      next.push(unit === other ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
    });
    row = next;
  }
  return row.at(-1) as number;
}

test("the longest common subsequence by bits is that of the table, over any number of words", () => {
  const units = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 140 });
  fc.assert(fc.property(units, units, (a, b) => commonSubsequence(a, b) === byTable(a, b)));
});

test("a text too long for its metric is not compared: null where the row is, lost where the sample is; in characters of one, in words of others", () => {
  const characters = "a".repeat(LIMITS.similarity_units_max + 1);
  const words = "a ".repeat(LIMITS.similarity_units_max + 1);
  const more = "a ".repeat(LIMITS.similarity_words_max + 1);
  const missing = { value: null, code: "text_too_long" };
  const lost = { value: 0, code: null };
  expect(similarity("fuzzy_match", characters, "a")).toEqual(lost);
  expect(similarity("rouge_l", words, "a")).toEqual(lost);
  expect(similarity("fuzzy_match", "a", characters)).toEqual(missing);
  expect(similarity("rouge_l", characters, words)).toEqual(missing);
  expect(similarity("rouge_1", words, words)).toEqual({ value: 1, code: null });
  for (const metric of METRICS) expect(similarity(metric, "a", more)).toEqual(missing);
});
