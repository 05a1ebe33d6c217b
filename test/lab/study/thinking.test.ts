// Owns the guarantees of the study of `judge.think`: an answer has one length however it is asked,
// each token is counted, and with one vote a pair nothing but the tokens differs.
import { describe, expect, it } from "vitest";
import { type Played, play } from "../../../scripts/lab/study/play.ts";
import { type Noise, verifierOf } from "../../../scripts/lab/study/verifier-model.ts";
import { THINKING_TOKENS, type ThinkingWay, thinkingWays } from "../../../scripts/lab/study/ways.ts";

const NOISE: Noise = {
  discrimination: 4,
  candidate_bias: 0.5,
  pair_bias: 0.5,
  position_bias: 0.3,
  position_spread: 0.5,
  style: "thinking",
  length: { median: 3000, sigma: 0.6, easier: 0 },
};
const list = { problem: "p", qualities: [0.1, 0.5, 0.3, 0.9, 1, 0], programs: [] };
const FIRST = 2048;

function played(name: string, noise = NOISE): Played & { way: ThinkingWay } {
  const way = thinkingWays([FIRST]).find((one) => one.name === name);
  if (way === undefined) throw new Error(`no way ${name}`);
  return { way, ...play(list, verifierOf(list.qualities, noise, "s"), way, 1, () => 0) };
}

describe("the study of few tokens first", () => {
  it("has the same order with one vote a pair, and the tokens of both askings", () => {
    const whole = played("one order");
    const few = played(`one order, ${FIRST} alone`);
    const think = played(`one order, think ${FIRST}`);
    expect(think.tau).toBe(whole.tau);
    expect(whole).toMatchObject({ generations: 15, undecided: 0, unread: 0 });
    expect(few.unread).toBeGreaterThan(0);
    expect(few.undecided).toBe(few.unread);
    expect(think.generations).toBe(15 + (few.unread as number));
    // What was not cut is asked once, what was cut at FIRST once more.
    const cut = (few.unread as number) * FIRST;
    expect(think.tokens).toBe((whole.completion_tokens as number) + cut);
    expect(think.completion_tokens).toBe(think.tokens);
  });

  it("takes few tokens alone for all, where no answer is longer", () => {
    const short = { ...NOISE, length: { median: 10, sigma: 0.1, easier: 0 } };
    const [whole, think] = [played("both orders x 2", short), played(`both orders x 2, think ${FIRST}`, short)];
    expect(think.unread).toBe(0);
    // Only close pairs are asked again.
    expect(think.generations).toBeGreaterThanOrEqual(whole.generations);
    expect(think.way.judge).toMatchObject({ max_tokens: THINKING_TOKENS, think: { first: FIRST } });
  });

  it("thinks longer about closer pairs where it is told to, and as long however it is asked", () => {
    const easier = { ...NOISE, length: { median: 3000, sigma: 0, easier: 0.5 } };
    const tokens = verifierOf([0, 0.05, 1], { ...easier, pair_bias: 0, position_spread: 0 }, "t").tokens;
    expect(tokens?.(0, 2, 0)).toBeLessThan(tokens?.(0, 1, 0) as number);
    expect(tokens?.(0, 1, 3)).toBe(tokens?.(0, 1, 3));
  });
});
