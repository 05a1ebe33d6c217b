// The guarantees of the controls' answers: what each looks at, in both forms, readable by the product's own
// parser.
import { describe, expect, it } from "vitest";
import { createRenderer, parsePrompt, type ReadPrompt } from "../../../src/core/judges/render.ts";
import { createPolicy, POLICIES } from "../../evaluate/controls/policies.ts";
import { fixtureLists } from "./fixture-set.ts";

const LISTS = fixtureLists({ problems: 20, lists: 8 });

/** A list as a verifier sees it, in the set's order. */
function shown(list: (typeof LISTS)[0], form: "exact_match" | "scores" = "exact_match"): ReadPrompt {
  const { prompt: question, language, candidates } = list;
  const render = createRenderer("code-select", form, {
    question,
    language,
    candidates: candidates.map(({ code }) => code),
  });
  return parsePrompt(render(candidates.map((_, i) => i)).at(-1)?.content as string) as ReadPrompt;
}

const boxed = (answer: string) => /\\boxed\{(.+)\}$/.exec(answer)?.[1] as string;
const choices = (policy: (typeof POLICIES)[number], seed = "1") => {
  const answer = createPolicy(policy, LISTS);
  return LISTS.map((list) => "ABCDE".indexOf(boxed(answer(shown(list), seed))));
};

describe("a control", () => {
  it("oracle chooses the right program of every list, whatever the others", () => {
    expect(choices("oracle")).toEqual(
      LISTS.map(({ candidates }) => candidates.findIndex(({ pass_rate }) => pass_rate === 1)),
    );
  });

  it("oracle refuses a program that is not in the set instead of guessing", () => {
    const prompt = shown(LISTS[0] as (typeof LISTS)[0]);
    const strange = { ...prompt, candidates: prompt.candidates.map(({ language }) => ({ code: "other", language })) };
    expect(() => createPolicy("oracle", LISTS)(strange, "1")).toThrow("not in the set");
  });

  it("always-first chooses A, and longest a longest program", () => {
    expect(new Set(choices("always-first"))).toEqual(new Set([0]));
    for (const [i, choice] of choices("longest").entries()) {
      const lengths = LISTS[i]?.candidates.map(({ code }) => code.trimEnd().length) as number[];
      expect(lengths[choice]).toBe(Math.max(...lengths));
    }
  });

  it("random chooses equally for equal seeds and differently for others", () => {
    expect(choices("random", "1")).toEqual(choices("random", "1"));
    expect(choices("random", "1")).not.toEqual(choices("random", "2"));
  });

  it.each(POLICIES)("%s gives scores with one maximum, at its choice", (policy) => {
    const answer = createPolicy(policy, LISTS);
    for (const list of LISTS.slice(0, 20)) {
      const scores = JSON.parse(boxed(answer(shown(list, "scores"), "1"))) as number[];
      const choice = "ABCDE".indexOf(boxed(answer(shown(list), "1")));
      expect(scores.length).toBe(list.candidates.length);
      expect(scores.filter((score) => score === 10).length).toBe(1);
      expect(scores.indexOf(10)).toBe(choice);
    }
  });
});
