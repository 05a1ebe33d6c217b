// The guarantees of the contracts' pure parts: orders and ties, and conversations that a template has
// rendered.
import { describe, expect, test } from "vitest";
import { splitRendered } from "../../../src/api/tools/shared/chat-template.ts";
import { ranking } from "../../../src/api/tools/shared/relevance.ts";
import type { GroupResult, RolloutResult } from "../../../src/core/contract/group-reply.ts";
import type { VerdictRow } from "../../../src/ports/log-entry.ts";

describe("equal scores", () => {
  const verdict = (order: number[], letter: string | null, scores: number[] | null = null) =>
    ({ order, letter, scores }) as unknown as VerdictRow;
  const rank = (
    scores: (number | null)[],
    verdicts: VerdictRow[],
    more: { duplicates?: (number | null)[]; texts?: string[] } = {},
  ) => {
    const rollouts = scores.map((_, i) => ({ duplicate_of: more.duplicates?.[i] ?? null }) as RolloutResult);
    const texts = more.texts ?? scores.map((_, i) => `text ${i}`);
    return ranking({ rollouts } as unknown as GroupResult, scores, { texts, question: "q", seed: 0, verdicts });
  };

  test("are ordered by wins over the others of that score", () => {
    expect(rank([0.5, 0.5, 1], [verdict([0, 1], "B"), verdict([2, 0], "B")])).toEqual([2, 1, 0]);
    expect(rank([0.5, 0.5, 1], [verdict([0, 1], "A")])).toEqual([2, 0, 1]);
    expect(rank([0.5, 0.5], [verdict([1, 0], null, [7, 3])])).toEqual([1, 0]);
  });

  test("are ordered by content when no verdict tells them apart, wherever they stand", () => {
    const order = (texts: string[]) =>
      rank(
        texts.map(() => 0.5),
        [verdict([0, 1], null), verdict([0, 1], null, [5, 5])],
        { texts },
      ).map((i) => texts[i]);
    const first = order(["a", "b", "c", "d"]);
    expect(order(["d", "c", "b", "a"])).toEqual(first);
    expect(order(["b", "d", "a", "c"])).toEqual(first);
  });

  test("of equal documents keep their places, beside what the one that was shown won", () => {
    const verdicts = [verdict([0, 1], "A")];
    expect(rank([0.5, 0.5, 0.5], verdicts, { duplicates: [null, null, 0] })).toEqual([0, 2, 1]);
  });

  test("leave out what has no score", () => {
    expect(rank([null, 0.2, null, 0.9], [])).toEqual([3, 1]);
  });
});

describe("a rendered conversation", () => {
  test.each([
    ["ChatML", "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyo<|im_end|>\n", "user\nhi"],
    [
      "Llama 3",
      "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nyo<|eot_id|>",
      "user\n\nhi",
    ],
    ["Gemma", "<bos><start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\nyo<end_of_turn>\n", "user\nhi"],
    ["Mistral", "<s>[INST] hi [/INST]yo</s>", "hi"],
    ["DeepSeek", "<｜begin▁of▁sentence｜><｜User｜>hi<｜Assistant｜>yo<｜end▁of▁sentence｜>", "hi"],
  ])("of %s is split at its last assistant turn, without the template's tokens", (_, text, prompt) => {
    expect(splitRendered(text)).toEqual({ prompt, completion: "yo" });
  });

  test("keeps earlier turns in the prompt and everything else in the answer", () => {
    const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}<|im_end|>\n`;
    const text = turn("user", "a") + turn("assistant", "b") + turn("user", "c") + turn("assistant", "x < y <br>\n");
    expect(splitRendered(text)).toEqual({ prompt: "user\na\nassistant\nb\nuser\nc", completion: "x < y <br>" });
  });

  test("of no known template is not guessed at", () => {
    expect(splitRendered("User: hi\nAssistant: yo")).toBeNull();
  });
});
