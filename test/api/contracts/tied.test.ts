// Holds that a group of equal rewards is reported as one, and that OpenRLHF's dynamic filtering drops it,
// equally good or equally bad.
import { describe, expect, it } from "vitest";
import { fenced, setUp } from "../routes/harness.ts";

interface Reply {
  rewards: number[];
  scores: number[];
  extra_logs: Record<string, number[]>;
}

const ask = async (answers: string[]) => {
  const query = answers.map((answer) => `p${answer}`);
  const prompts = answers.map(() => "p");
  return (await (await setUp().post("/openrlhf/get_reward", { query, prompts })).json()) as Reply;
};

/** As OpenRLHF keeps a group: by the mean of its scores, strictly between the bounds. */
const kept = ({ scores }: Reply) => {
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
  return mean > 0 && mean < 1;
};

describe("a group of eight", () => {
  const eight = (answer: (i: number) => string) => Array.from({ length: 8 }, (_, i) => answer(i));
  it.each([
    ["equally bad", eight(() => "I do not know."), [1, false]],
    ["equally good", eight(() => fenced("same")), [1, false]],
    ["one better than the rest", eight((i) => fenced(i === 3 ? "longer" : "x")), [0, true]],
    ["one malformed", eight((i) => (i === 3 ? "I do not know." : fenced("x"))), [0, true]],
  ])("%s", async (_name, answers, [tied, keeps]) => {
    const reply = await ask(answers);
    expect([...new Set(reply.extra_logs.rm_tied)]).toEqual([tied]);
    expect(kept(reply)).toBe(keeps);
  });
});
