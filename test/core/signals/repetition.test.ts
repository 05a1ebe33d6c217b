// That saying the same again and again costs in every script, and that texts in words are measured as
// published.

import { describe, expect, test } from "vitest";
import { itemsOf, repeatedShare, repetition, wordsOf } from "../../../src/core/signals/repetition.ts";
import fc from "../../harness/property.ts";
import { preparedOf } from "./prepared.ts";

const penalty = (text: string) =>
  repetition.open(preparedOf([text]), { ngram: 3, penalty: 1 }, {} as never).result([]).scores[0]?.value as number;

const LOOPS = {
  Chinese: "这个答案是正确的",
  "Chinese with sentences": "我们先看题目，再求解。",
  Japanese: "これは正しい答えです",
  Katakana: "コンピューター",
  Thai: "คำตอบนี้ถูกต้อง",
  Lao: "ຄຳຕອບນີ້",
  Khmer: "ចម្លើយនេះ",
  Burmese: "ဤအဖြေသည်",
  "minified code": "for(i=0;i<n;i++){s+=a[i]};",
  "one letter": "a",
  "two letters": "ab",
  "full-width": "ＡＢＣ，",
  JSON: '{"a":1},',
  "a name": "again",
  emoji: "😀",
  marks: "=-",
};

describe.each(Object.entries(LOOPS))("%s", (_, unit) => {
  test("said forty times costs most of the penalty, also with a few blanks or lines in it", () => {
    expect(penalty(unit.repeat(40))).toBeLessThan(-0.5);
    expect(penalty(`${unit.repeat(20)}\n${unit.repeat(20)}`)).toBeLessThan(-0.5);
  });
});

test("a short run of a letter is seen, a word or a number is none", () => {
  expect(penalty("aaaaaa")).toBe(-0.75);
  for (const text of ["banana", "100000", "0.33333333", "\\boxed{42}", "函数单调递增", ""])
    expect(penalty(text)).toBe(0);
});

test("a text without blanks that says nothing twice costs nothing", () => {
  expect(penalty("春天来了花儿开放小鸟歌唱河水流淌")).toBe(0);
  expect(penalty("function f(x){return x*x}".replaceAll(" ", "·"))).toBe(0);
});

test("words are measured as published, whatever stands in the smaller part of the text", () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-z]{1,12}$/),
    fc.constantFrom("the", "answer", "is", "x_{1}+x_{2}+x_{3}", "don't", "100000"),
  );
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 12, maxLength: 80 }),
      fc.constantFrom("", "答案", "a".repeat(30)),
      (words, odd) => {
        const text = [
          ...words.slice(0, 6),
          ...(odd === "" ? [] : [odd]),
          ...words.slice(6),
          "and so on and so forth at last",
        ].join(" ");
        expect(itemsOf(text)).toEqual(wordsOf(text));
        expect(penalty(text)).toBe(0 - repeatedShare([wordsOf(text)], 3) + 0);
      },
    ),
  );
});
