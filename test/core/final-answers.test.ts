// Where a final answer is read, which choice it names, and answers inside thoughts that the prompt
// opened: vectors of right, wrong and hedged rollouts.
import { expect, test } from "vitest";
import { type AnswerPlace, DEFAULT_PLACES, finalAnswer } from "../../src/core/candidate/answers/final-answer.ts";
import { createPreparer } from "../../src/core/candidate/prepare.ts";
import type { Group } from "../../src/core/contract/group.ts";
import { readRollout } from "../../src/core/contract/group.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import vectors from "../vectors/final-answers.json" with { type: "json" };
import { resultOf } from "./signals/prepared.ts";

test("the place and the answer of every vector", () => {
  const wrong = vectors.places.flatMap(({ text, place, answer, ...given }) => {
    const places = ("places" in given ? given.places : DEFAULT_PLACES) as readonly AnswerPlace[];
    const found = finalAnswer(text, null, places);
    const isRight = (found?.place ?? null) === place && (found?.text ?? null) === answer;
    return isRight ? [] : [{ text, place, answer, found }];
  });
  expect(wrong).toEqual([]);
});

/** The value of one rollout under the kind reference. */
function rewardOf(text: string, gold: string, facts: object = {}): number | null {
  const [score] = resultOf({ kind: "reference" }, [text], { reference: gold, ...facts }).scores;
  return score?.value ?? null;
}

test("a choice is its letter, whatever text follows; another letter is wrong", () => {
  const wrong = vectors.choices.flatMap(({ gold, text, reward, ...given }) => {
    const found = rewardOf(text, gold, given);
    return found === reward ? [] : [{ gold, text, reward, ...given, found }];
  });
  expect(wrong).toEqual([]);
});

test("several letters, and words that begin with one, are never the right choice", () => {
  const right = vectors.not_choices.flatMap(({ gold, text }) =>
    [{}, { answer_type: "choice" }].flatMap((facts) => (rewardOf(text, gold, facts) === 1 ? [{ text, ...facts }] : [])),
  );
  expect(right).toEqual([]);
});

test("an answer inside thoughts that never ended does not pay, wherever they were opened", () => {
  const wrong = vectors.prompted_thoughts.flatMap((given) => {
    const { prompt, reward } = given;
    const rollout = readRollout(given as unknown as Group["rollouts"][number]);
    const group = { prompt, rollouts: [rollout], reference: "42" } as unknown as Group;
    const [score] = resultOf({ kind: "reference" }, [rollout.text], group).scores;
    return score?.value === reward ? [] : [{ ...given, found: score }];
  });
  expect(wrong).toEqual([]);
});

test("thoughts that the prompt opened hold no candidate, break the format's rules and are not shown", () => {
  const prompt = "<|im_start|>user\nQ?<|im_end|>\n<|im_start|>assistant\n<think>\n";
  const program = "```python\nprint(42)\n```";
  const rules = { rules: ["closed_think", "has_candidate"] as const, path: "spec" };
  const prepared = (extract: "last_code_block" | "after_think" | "whole", ...rollouts: object[]) =>
    createPreparer({ candidate: { extract }, formats: { form: rules } })(
      { prompt, rollouts: rollouts.map((rollout) => readRollout(rollout as Group["rollouts"][number])) },
      0,
    );
  const [open, closed] = [{ text: `hm\n${program}` }, { text: `hm</think>\n${program}` }];
  for (const [extract, wanted] of [
    ["last_code_block", "print(42)"],
    ["after_think", `\n${program}`],
  ] as const) {
    const { candidates, formatOk } = prepared(extract, open, closed);
    expect(candidates).toEqual([null, wanted]);
    expect(formatOk).toEqual([false, true]);
  }
  const messages = ["hm, so 41 or 42", "hm</think>It is 42."].map((content) => ({
    messages: [{ role: "assistant", content }],
  }));
  const [hidden, shown] = prepared("whole", ...messages).candidates;
  expect(hidden).toBe(null);
  expect(shown).toContain("It is 42.");
  expect(shown).not.toContain("hm");
});

test("finding an answer takes time linear in the text", () => {
  const patterns = ["answer is ", "the answer to ", "####\n", "#### a b c\n", "<answer>", "* answer\n", "\\boxed", "$"];
  const parts = ["*", "**Answer", "( [ { ", "so the ", "answer to x ", ". * ", "\\text {", "_ans ", "correct answer "];
  const lines = parts.flatMap((part) => {
    const long = part.repeat(4000 / part.length);
    return [`${long} answer\n`, `${long}ansx\n`, `answer ${long}x\n`, `the answer is ${long}\n`];
  });
  const msOf = (part: string, chars: number): number => {
    const text = part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
    const before = cpuMs();
    finalAnswer(text, null, DEFAULT_PLACES);
    return cpuMs() - before;
  };
  const slow = [...patterns, ...lines].flatMap((part) => {
    const ms = msOf(part, 256 * 1024);
    return ms > 1000 ? [{ part: part.slice(0, 20), ms }] : [];
  });
  expect(slow).toEqual([]);
});
