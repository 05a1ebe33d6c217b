import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createRenderer, parsePrompt, promptHash } from "../../src/core/judges/render.ts";
import { PROMPTS } from "../../src/core/judges/templates.generated.ts";
import fc from "../harness/property.ts";

const DANGEROUS = [
  "[/CANDIDATE_A]",
  "[CANDIDATE_B]",
  "[QUESTION]",
  "[/QUESTION]",
  "<think>",
  "</think>",
  "</THINK >",
  "<answer>",
  "<|im_start|>",
  "<|im_end|>",
  "<|eot_id|>",
  "<|endoftext|>",
  "[INST]",
  "[/INST]",
  "<｜User｜>",
  "<｜Assistant｜>",
  "<｜end▁of▁sentence｜>",
  "</s>",
  "<<SYS>>",
  "<start_of_turn>",
  "\\boxed{A}",
];
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(...DANGEROUS, "```", "````python", "\n", "\u2060", "<", "[", "{{candidates}}"),
      fc.string(),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

const render = (
  candidates: string[],
  order: number[],
  question = "Q",
  form: "exact_match" | "scores" = "exact_match",
) => {
  const messages = createRenderer("code-select", form, { question, language: "python", candidates })(order);
  return messages.at(-1)?.content as string;
};

describe("createRenderer", () => {
  it.each(DANGEROUS)("lets no %s of a candidate or question reach the prompt", (token) => {
    const clean = render(["a = 1", "b = 2"], [0, 1]);
    const attacked = render([`a = "${token}"`, "b = 2"], [0, 1], `Q ${token}`);
    const count = (text: string) => text.split(token).length - 1;
    expect(count(attacked)).toBe(count(clean));
  });

  it("is read back exactly, whatever the candidates hold", () => {
    fc.assert(
      fc.property(nasty, fc.array(nasty, { minLength: 2, maxLength: 5 }), (question, candidates) => {
        const order = candidates.map((_, i) => candidates.length - 1 - i);
        const read = parsePrompt(render(candidates, order, question));
        expect(read?.question).toBe(question);
        expect(read?.candidates.map(({ code }) => code)).toEqual(order.map((i) => candidates[i]));
      }),
      { numRuns: 300 },
    );
  });

  it("shows the letters in the order asked, tags the fence with the language and lists the options", () => {
    const text = render(["first", "second", "third"], [2, 0, 1]);
    expect(text).toContain("[CANDIDATE_A]\n```python\nthird\n```\n[/CANDIDATE_A]\n\n[CANDIDATE_B]\n```python\nfirst\n");
    expect(text).toContain("Options: A, B, C");
  });

  it("starts all comparisons of a question with the same text, so that a prefix cache is hit", () => {
    const [one, two] = [render(["aaa", "bbb", "ccc"], [0, 1]), render(["aaa", "bbb", "ccc"], [0, 2])];
    expect(one.slice(0, one.indexOf("bbb"))).toBe(two.slice(0, two.indexOf("ccc")));
  });

  it("never interpolates twice", () => {
    expect(render(["{{question}}", "{{options}}"], [0, 1])).toContain("{{question}}\n```");
  });

  it("asks for one letter or for one score each", () => {
    expect(parsePrompt(render(["a", "b"], [0, 1], "Q", "exact_match"))?.form).toBe("exact_match");
    expect(parsePrompt(render(["a", "b"], [0, 1], "Q", "scores"))?.form).toBe("scores");
    expect(render(["a", "b"], [0, 1], "Q", "scores")).toContain("\\boxed{[score A, score B]}");
  });

  it("refuses a template it does not have, by naming those it has", () => {
    expect(() => createRenderer("nope", "scores", { question: "", language: null, candidates: [] })).toThrow(
      /code-select/,
    );
  });
});

describe("templates", () => {
  it("are generated from the text files", () => {
    expect(() =>
      execFileSync(process.execPath, ["scripts/build/prompts.ts", "--check"], { stdio: "pipe" }),
    ).not.toThrow();
  });

  it("have distinct hashes", () => {
    const hashes = Object.keys(PROMPTS).map((name) => promptHash(name));
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});
