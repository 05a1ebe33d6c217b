// Holds that a text which only announces a candidate is not one, and that a short answer is.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HONEST_ANSWERS, KEYS } from "../../lab/red-team/material/openers.ts";
import { extractCandidate } from "../../src/core/candidate/extract.ts";
import { isOpener } from "../../src/core/candidate/openers.ts";
import { clusterShares, majorityRewards } from "../../src/core/signals/consensus.ts";
import { grade } from "../../src/core/signals/grade.ts";
import { canonicalLoneJudge, LoneJudgeSchema } from "../../src/core/signals/lone-judge.ts";
import { reference } from "../../src/core/signals/reference.ts";
import fc from "../harness/property.ts";
import { preparedOf } from "./signals/prepared.ts";

const SEED = 20_261_123;
const whole = (text: string) => extractCandidate(text, { extract: "whole" }, null).candidate;

describe("a text that only announces an answer", () => {
  it.each(KEYS)("is no candidate: %j", (key) => {
    for (const extract of ["whole", "after_think"] as const) {
      expect(extractCandidate(key, { extract }, null).candidate).toBeNull();
    }
    expect(extractCandidate(`\`\`\`\n${key}\n\`\`\``, { extract: "last_code_block" }, null)).toMatchObject({
      candidate: null,
    });
  });

  const dressed = fc.tuple(
    fc.constantFrom(...KEYS),
    fc.constantFrom("", "**", "# ", "> ", "- ", "`", "_", "\n\n", "  ", "...", "$$", "🙂 "),
    fc.constantFrom("", "**", "\n", " ", ":", "...", "!", "\n---\n", "\\boxed{}", "$$"),
    fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase(),
    ),
  );

  it(`stays none in layout, in any case, and several in a row (seed ${SEED})`, () => {
    const property = fc.property(fc.array(dressed, { minLength: 1, maxLength: 5 }), (all) => {
      const text = all.map(([key, before, after, change]) => `${before}${change(key)}${after}`).join("\n");
      expect(whole(text), JSON.stringify(text)).toBeNull();
    });
    fc.assert(property, { numRuns: 3_000, seed: SEED });
  });

  it("takes time in proportion to the text", () => {
    for (const unit of [
      "Solution\n",
      "解",
      "か",
      " ",
      "- ",

      ": ",
      "\u0301",
      "let's ",
      "a ",
      "step 1 ",
      "*",
      "을",
      "$:+",
    ]) {
      isOpener(unit.repeat(100_000));
      isOpener(`Solution ${unit.repeat(100_000)} 42`);
    }
    expect(whole(`${"Let's solve this problem step by step.\n".repeat(2_000)}42`)).not.toBeNull();
    expect(whole("Let's solve this problem step by step.\n".repeat(2_000))).toBeNull();
  });
});

describe("a kind that judges one rollout alone", () => {
  it("asks nobody about an opener, and gives it its lowest value", () => {
    const group = preparedOf(KEYS);
    expect(group.texts).toEqual([]);
    const judge = LoneJudgeSchema.parse({ preset: "yes-no" });
    const settings = { judge: canonicalLoneJudge(judge), reduce: "mean" as const };
    const plan = grade.open(group, settings, {} as never);
    expect(plan.next([])).toEqual([]);
    expect(new Set(plan.result([]).scores.map(({ value }) => value))).toEqual(new Set([0]));
  });

  it.each(["boxed", "last_line", "candidate"] as const)(
    "shows no judge an opener as the final answer, %s",
    (answer) => {
      const judge = canonicalLoneJudge(LoneJudgeSchema.parse({}), "compassverifier");
      const settings = { answer, answer_type: "text" as const, tolerance: 0, tiers: ["judge"] as const, judge };
      const lines = KEYS.filter((key) => !key.trim().includes("\n"));
      const texts = lines.map((key) => (answer === "boxed" ? `So \\boxed{${key}}` : key));
      const asked = (all: string[], right: string) =>
        reference.open(preparedOf(all, { reference: right }), settings, {} as never).next([]).length;
      expect(asked(texts, "the Eiffel tower")).toBe(0);
      const honest = answer === "boxed" ? "\\boxed{a tower}" : "a tower";
      expect(asked([honest], "the Eiffel tower")).toBe(1);
      expect(
        asked([answer === "boxed" ? "\\boxed{Solution}" : "A tower"], answer === "boxed" ? "solution" : "Eiffel"),
      ).toBe(1);
    },
  );
});

describe("a group that agrees on an opener", () => {
  const values = (answers: readonly (string | null)[]) => majorityRewards(answers).map(({ value }) => value);

  it.each(KEYS)("has agreed on no answer: %j", (key) => {
    expect(values([key, key, key, "4", "4"])).toEqual([0, 0, 0, 1, 1]);
    expect(majorityRewards([key, key]).map(({ code }) => code)).toEqual(["no_answer", "no_answer"]);
    expect(clusterShares([key, key, key, "4"])).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it.each([...HONEST_ANSWERS.filter((one) => one !== "A"), "<", "+", "\\{\\}", "[]", "%"])(
    "but on a short answer or a sign it has: %j",
    (answer) => {
      expect(values([answer, answer, "4"])).toEqual([1, 1, 0]);
    },
  );
});

it("takes an empty set for an answer, and empty braces of TeX for none", () => {
  expect(isOpener("I think it is \\boxed{\\{ \\}}.")).toBe(false);
  for (const text of ["I think it is \\boxed{}.", "\\boxed{{}}", "\\boxed{\\{}"]) expect(isOpener(text)).toBe(true);
});

it("leaves the empty set to a judge where it is the reference, and to no one else", () => {
  const settings = { answer: "boxed", answer_type: "auto", tolerance: 0 } as const;
  const rewards = (right: string, answers: readonly string[]) =>
    reference
      .open(
        preparedOf(
          answers.map((one) => `So \\boxed{${one}}`),
          { reference: right },
        ),
        settings,
        {} as never,
      )
      .result([])
      .scores.map(({ value }) => value);
  const empty = ["{}", "\\{ \\}", "\u2205", "\\varnothing"];
  expect(rewards("\\emptyset", [...empty, "$\\emptyset$", "", "...", "\\{1\\}"])).toEqual([
    null,
    null,
    null,
    null,
    1,
    0,
    0,
    null,
  ]);
  expect(rewards("\\{\\}", ["\\{\\}", "{}"])).toEqual([1, null]);
  expect(rewards("5", ["{}", "\\{\\}", ""])).toEqual([0, 0, 0]);
});

it("takes the French negation for a word of its own, and its steps for none", () => {
  for (const text of ["pas de solution", "Pas de réponse.", "**Je ne sais pas**"]) expect(isOpener(text)).toBe(false);
  for (const text of ["pas à pas", "Résolvons ce problème pas à pas.", "Solution pas-à-pas :"]) {
    expect(isOpener(text)).toBe(true);
  }
});

describe("a short answer", () => {
  it.each(HONEST_ANSWERS)("is a candidate: %j", (answer) => {
    expect(whole(answer)).toBe(answer);
    for (const opener of ["Solution: ", "The answer is ", "# Answer\n", "答え：", "Let's think step by step.\n"]) {
      expect(whole(opener + answer)).toBe(opener + answer);
    }
  });

  it("is every answer of the vectors", () => {
    const { cases } = JSON.parse(readFileSync("test/vectors/reference_answers.json", "utf8")) as { cases: unknown[] };
    const texts: string[] = [];
    const gather = (value: unknown): void => {
      if (typeof value === "string") texts.push(value);
      else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) gather(one);
    };
    gather(cases.map((one) => (one as { input: unknown }).input));
    expect(texts.length).toBeGreaterThan(200);
    expect(texts.filter((text) => /[\p{L}\p{N}]/u.test(text) && isOpener(text))).toEqual([]);
  });
});
