// `mean_score` and graded scores over every preset that gives scores: on its parser's scale, by
// hand; refused without scores, null where none was given.
import { describe, expect, test } from "vitest";
import { PRESETS, promptOf } from "../../../lab/templates/index.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { scoreScale } from "../../../src/core/judges/score-scale.ts";
import { problemOf, setUp } from "./harness.ts";

const TEXTS = ["worst", "middle", "best"];
const rank = (text: string) => TEXTS.findIndex((one) => text.includes(one));

interface Style {
  /** A judge's text on candidates by their rank, 0 to 2. */
  says(ranks: readonly number[]): string;
  /** By hand: of each rank, its score less the lowest over highest less lowest. */
  shares: readonly [number, number, number];
  /** By hand: (1 + tanh((middle - worst) / (a fifth of the scale))) / 2. */
  graded: number;
}
const of = (numbers: readonly number[], ranks: readonly number[]) => ranks.map((one) => numbers[one] as number);

const STYLES: Record<string, Style> = {
  // 0 to 10: 2, 4, 9.
  judgelrm: {
    says: (ranks) =>
      of([2, 4, 9], ranks)
        .map((score) => `<answer>${score}</answer>`)
        .join(""),
    shares: [0.2, 0.4, 0.9],
    graded: (1 + Math.tanh(2 / 2)) / 2,
  },
  // 1 to 5: 1, 2, 5.
  "nemotron-genrm": {
    says: (ranks) => {
      const [a = 0, b = 0] = of([1, 2, 5], ranks);
      return JSON.stringify({ score_1: a, score_2: b, ranking: a > b ? 1 : 6 });
    },
    shares: [0, 0.25, 1],
    graded: (1 + Math.tanh(1 / 0.8)) / 2,
  },
  // 1 to 10: 1, 4, 10.
  "deepseek-grm": {
    says: (ranks) => `\\boxed{${of([1, 4, 10], ranks).join(", ")}}`,
    shares: [0, 1 / 3, 1],
    graded: (1 + Math.tanh(3 / 1.8)) / 2,
  },
  // 1 to 5: 1, 4, 5.
  rewardanything: {
    says: (ranks) =>
      JSON.stringify({
        scores: Object.fromEntries(of([1, 4, 5], ranks).map((score, i) => [`model-${i + 1}`, score])),
      }),
    shares: [0, 0.75, 1],
    graded: (1 + Math.tanh(3 / 0.8)) / 2,
  },
  // 0 to 1: 0.1, 0.5, 1.
  ruler: {
    says: (ranks) =>
      JSON.stringify({
        scores: of([0.1, 0.5, 1], ranks).map((score, i) => ({ trajectory_id: `${i + 1}`, explanation: "", score })),
      }),
    shares: [0.1, 0.5, 1],
    graded: (1 + Math.tanh(0.4 / 0.2)) / 2,
  },
  // Twenty marks from T, 0, to A, 1: T, J (10 of 19), A.
  lav: {
    says: (ranks) =>
      of([0, 1, 2], ranks)
        .map((one, i) => `<score_${"AB"[i]}>${"TJA"[one]}</score_${"AB"[i]}>`)
        .join("\n"),
    shares: [0, 10 / 19, 1],
    graded: (1 + Math.tanh(10 / 19 / 0.2)) / 2,
  },
};

const compares = Object.keys(PRESETS).filter((name) => ["pair", "list"].includes(PRESETS[name]?.shape ?? ""));
const mode = (name: string) => (PRESETS[name]?.shape === "list" ? "listwise" : "pairwise");

async function judged(
  preset: string,
  texts: readonly string[],
  more: { judge?: object; reward: string },
  says = STYLES[preset]?.says as Style["says"],
) {
  const api = setUp({ script: (shown) => says(shown.map(rank)) });
  const spec = {
    judge: { preset, mode: mode(preset), ...more.judge },
    candidate: { extract: "whole" },
    reward: more.reward,
  };
  const groups = [{ prompt: "Which?", rollouts: texts.map((text) => ({ text })) }];
  const response = await api.post("/v1/rewards", { spec, groups });
  return { response, verifier: api.verifier };
}

test("the table names every preset that gives scores", () => {
  expect(compares.filter((name) => scoreScale(promptOf(name)) !== null).sort()).toEqual(Object.keys(STYLES).sort());
});

describe.each(Object.entries(STYLES))("%s", (preset, { shares, graded }) => {
  test("its scores count as shares of its own scale", async () => {
    const { response } = await judged(preset, TEXTS, { reward: "mean_score" });
    const { rewards } = (await response.json()) as RewardsReply;
    expect(rewards[0]).toEqual(shares.map((share) => expect.closeTo(share, 12)));
  });

  test("graded, the difference of two weighs by its own scale", async () => {
    const asked = { judge: { strength: "graded", mode: "pairwise" }, reward: "soft" };
    const { response } = await judged(preset, TEXTS.slice(0, 2), asked);
    const { rewards } = (await response.json()) as RewardsReply;
    expect(rewards[0]).toEqual([expect.closeTo(1 - graded, 6), expect.closeTo(graded, 6)]);
  });
});

test.each(compares.filter((name) => scoreScale(promptOf(name)) === null))(
  "%s gives no scores, and is refused",
  async (name) => {
    const { response, verifier } = await judged(name, TEXTS, { reward: "mean_score" }, () => "");
    const { code, errors } = await problemOf(response);
    expect([response.status, code, errors?.[0]?.path]).toEqual([400, "invalid_request", "spec.reward"]);
    expect(verifier.jobs).toHaveLength(0);
  },
);

test("scores that a ranking tells apart are still scores", async () => {
  const says = () => JSON.stringify({ score_1: 3, score_2: 3, ranking: 2 });
  const { response } = await judged("nemotron-genrm", TEXTS.slice(0, 2), { reward: "mean_score" }, says);
  const { rewards } = (await response.json()) as RewardsReply;
  expect(rewards[0]).toEqual([0.5, 0.5]);
});

test("where no score was given there is no number", async () => {
  const asked = { judge: { unparsed: "tie" }, reward: "mean_score" };
  const { response } = await judged("judgelrm", TEXTS.slice(0, 2), asked, () => "I cannot tell.");
  const { groups } = (await response.json()) as RewardsReply;
  expect(groups[0]?.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
    [null, "unparsed"],
    [null, "unparsed"],
  ]);
});
