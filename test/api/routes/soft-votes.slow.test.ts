// Soft votes over HTTP, through the engine itself and through the gateway: exact rewards from known
// log probabilities, and never a number from an engine that gives none.
import { describe, expect, test } from "vitest";
import { answer, event, raw } from "../../harness/mock-behaviours.ts";
import {
  asked,
  besideSoftEngine,
  chatEvent,
  close,
  engineAnswers,
  FAIR,
  judged,
  letters,
  odds,
  type Piece,
  shownIn,
  sigmoid,
  streamed,
  textOf,
  verifiers,
  WORTH,
} from "./soft-votes-setup.ts";

besideSoftEngine();

/** Per preset: what the judge writes around its letter. */
const STYLES: Record<string, (shares: readonly number[]) => Piece[]> = {
  "code-select": (p) => [{ text: "\\boxed" }, { text: "{" }, { text: "A", top: letters(p) }, { text: "}" }],
  "text-select": (p) => [
    { text: "<think>" },
    { text: "\\boxed{" },
    { text: "B", top: { B: 0.99 } },
    { text: "}</think>" },
    { text: "\\boxed{" },
    { text: "A", top: letters(p, 0.9) },
    { text: "}" },
  ],
  "letter-select": (p) => [{ text: "\n" }, { text: "A", top: letters(p, 0.8) }],
  "mtbench-ab": (p) => [{ text: "So [[" }, { text: "B", top: letters(p) }, { text: "]]" }],
  "rm-r1": (p) => [{ text: "<answer>" }, { text: "[[" }, { text: "A", top: letters(p) }, { text: "]]</answer>" }],
  "rubric-rm": (p) => [{ text: "Winner:" }, { text: " Response" }, { text: " B", top: letters(p, 1, (l) => ` ${l}`) }],
  "selene-pair": (p) => [{ text: "**Result:**" }, { text: " A", top: letters(p, 1, (l) => ` ${l}`) }],
  "prometheus-pair": (p) => [{ text: "Feedback: f [RESULT]" }, { text: " A", top: letters(p, 1, (l) => ` ${l}`) }],
};

describe.each(["openai", "verify"] as const)("a soft vote through %s", (protocol) => {
  test.each(Object.keys(STYLES))("of %s gives each pair its letter's probability", async (preset) => {
    engineAnswers.behave = (request) =>
      streamed((STYLES[preset] as (p: number[]) => Piece[])(odds(shownIn(textOf(request)))), false);
    const { rewards, group } = await judged(protocol, { preset });
    expect(rewards).toEqual(close(FAIR));
    expect(group.win_counts).toEqual([0, 1, 2]);
    expect(asked.every(({ body }) => body.logprobs === true && body.top_logprobs === 20)).toBe(true);
    expect(asked).toHaveLength(3);
  });

  test("of both orders is the mean of their outcomes, so that a favour of the first hurts and helps each once", async () => {
    const favour = 0.7;
    engineAnswers.behave = (request) =>
      streamed((STYLES["letter-select"] as (p: number[]) => Piece[])(odds(shownIn(textOf(request)), favour)), false);
    const { rewards } = await judged(protocol, { preset: "letter-select", both_orders: true });
    const pair = (gap: number) => (sigmoid(gap + favour) + sigmoid(gap - favour)) / 2;
    expect(rewards).toEqual(close([(pair(-1) + pair(-2)) / 2, (pair(1) + pair(-1)) / 2, (pair(2) + pair(1)) / 2]));
    expect(asked).toHaveLength(6);
  });

  test("of a list sets each above another by half the difference of their probabilities", async () => {
    const style = STYLES["text-select"] as (p: number[]) => Piece[];
    engineAnswers.behave = (request) => streamed(style(odds(shownIn(textOf(request)))), false);
    const { rewards } = await judged(protocol, { preset: "text-select", mode: "listwise" });
    const [a = 0, b = 0, c = 0] = odds([0, 1, 2]);
    const over = (x: number, y: number) => (1 + x - y) / 2;
    expect(rewards).toEqual(
      close([(over(a, b) + over(a, c)) / 2, (over(b, a) + over(b, c)) / 2, (over(c, a) + over(c, b)) / 2]),
    );
  });

  test("of lav is the sigmoid of the difference of expected marks", async () => {
    const marks = (worth: number) => ({ A: worth / 2, T: 1 - worth / 2 });
    engineAnswers.behave = (request) => {
      const [a = 0, b = 0] = shownIn(textOf(request));
      const mark = (tag: string, worth: number): Piece[] => [
        { text: `<score_${tag}>` },
        { text: worth > 0 ? "A" : "T", top: marks(worth) },
        { text: `</score_${tag}>` },
      ];
      return streamed([...mark("A", a), { text: "\n" }, ...mark("B", b)], false);
    };
    const { rewards } = await judged(protocol, { preset: "lav" });
    const half = sigmoid(0.5);
    const whole = sigmoid(1);
    expect(rewards).toEqual(close([1 - (half + whole) / 2, 0.5, (half + whole) / 2]));
  });

  test("of a tie's letter gives half to each", async () => {
    engineAnswers.behave = () =>
      streamed([{ text: "[[" }, { text: "C", top: { A: 0.2, B: 0.2, C: 0.6 } }, { text: "]]" }], false);
    const { group, rewards } = await judged(protocol, { preset: "mtbench-ab" });
    expect(rewards).toEqual(close([0.5, 0.5, 0.5]));
    expect(group.rollouts.map(({ ties }) => ties)).toEqual([2, 2, 2]);
  });

  test.each([
    ["yes-no", (w: number): Piece[] => [{ text: "no", top: { Yes: w / 4, no: 0.9 - w / 4 } }], [0, 1 / 3.6, 2 / 3.6]],
    [
      "compassverifier",
      (w: number): Piece[] => [{ text: "\\boxed{" }, { text: "B", top: { A: w / 4, B: 1 - w / 4 } }, { text: "}" }],
      [0, 0.25, 0.5],
    ],
    [
      "selene",
      (w: number): Piece[] => [{ text: "**Result:** " }, { text: "3", top: { 1: 0.5 - w / 4, 3: 0.5, 5: w / 4 } }],
      [0.25, 0.5, 0.75],
    ],
    ["xverify", (w: number): Piece[] => [{ text: "Inc", top: { Correct: w / 4, Inc: 1 - w / 4 } }], [0, 0.25, 0.5]],
  ] as const)(
    "of the grade %s is the probability of passing, or the expected grade",
    async (preset, says, expected) => {
      engineAnswers.behave = (request) => streamed(says(shownIn(textOf(request))[0] as number), false);
      const { rewards } = await judged(protocol, { preset }, { kind: "grade" });
      expect(rewards).toEqual(close(expected));
    },
  );

  test("may be cut behind a letter that the answer begins with, and nowhere else", async () => {
    engineAnswers.behave = (request) =>
      streamed((STYLES["letter-select"] as (p: number[]) => Piece[])(odds(shownIn(textOf(request)))), false, "length");
    expect((await judged(protocol, { preset: "letter-select", max_tokens: 1 })).rewards).toEqual(close(FAIR));
    engineAnswers.behave = () =>
      streamed([{ text: "\\boxed{" }, { text: "A", top: { A: 0.9 } }, { text: "}" }], false, "length");
    const cut = await judged(protocol, { preset: "text-select" });
    expect(cut.group.rollouts.map(({ error }) => error)).toEqual(["unparsed", "unparsed", "unparsed"]);
  });

  test("stands in the run log as probabilities of those shown", async () => {
    engineAnswers.behave = (request) =>
      streamed((STYLES["code-select"] as (p: number[]) => Piece[])(odds(shownIn(textOf(request)))), false);
    const { app } = await judged(protocol, { preset: "code-select" }, {}, ["bad", "good"]);
    const [entry] = app.runLog.entries;
    const [row] = entry?.groups[0]?.verdicts ?? [];
    expect(row).toMatchObject({ letter: null, status: "ok", error: null });
    const first = WORTH[["bad", "good"][row?.order[0] ?? 0] as string] as number;
    expect(row?.verdict).toEqual({ kind: "distribution", shares: close(odds([first, 2 - first])) });
  });

  test.each([
    ["less than half of the probability on the letters", { A: 0.3, B: 0.1, I: 0.6 }, "unparsed"],
    ["none of the letters", { I: 0.9 }, "unparsed"],
  ])("with %s is no verdict", async (_, top, code) => {
    engineAnswers.behave = () =>
      streamed([{ text: "\\boxed{" }, { text: "A", top: top as Record<string, number> }, { text: "}" }], false);
    const { group } = await judged(protocol, { preset: "text-select" });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual(Array(3).fill([null, code]));
  });

  test("of a letter that the answer takes back is no verdict", async () => {
    engineAnswers.behave = () =>
      streamed(
        [
          { text: "\\boxed{" },
          { text: "A", top: { A: 0.9, B: 0.1 } },
          { text: "} no, \\boxed{" },
          { text: "B", top: { A: 0.1, B: 0.9 } },
          { text: "}" },
        ],
        false,
      );
    const { group } = await judged(protocol, { preset: "code-select" });
    expect(group.rollouts.map(({ error }) => error)).toEqual(["unparsed", "unparsed", "unparsed"]);
  });

  test("fails where the engine gives no log probabilities, is not asked again and opens no breaker", async () => {
    engineAnswers.behave = (request) => answer(shownIn(textOf(request))[0] === 2 ? "\\boxed{A}" : "\\boxed{B}");
    const { group, app } = await judged(protocol, { preset: "text-select", reask: 3 });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual(
      Array(3).fill([null, "logprobs_unavailable"]),
    );
    expect(app.runLog.entries[0]?.groups[0]?.verdicts.map(({ error }) => error)).toEqual(
      Array(3).fill("logprobs_unavailable"),
    );
    expect(asked).toHaveLength(3);
    expect(verifiers[protocol].backends?.().map(({ breaker }) => breaker)).toEqual(["closed"]);
  });

  test("of what is no log probability is a bad reply", async () => {
    const wrong = chatEvent("A", { content: [{ token: "A", logprob: 0, top_logprobs: [{ token: "A", logprob: 3 }] }] });
    const last = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    engineAnswers.behave = () => raw([wrong, last, event("[DONE]")]);
    const { group } = await judged(protocol, { preset: "letter-select" }, {}, ["bad", "good"]);
    expect(group.rollouts.map(({ error }) => error)).toEqual(["verifier_bad_reply", "verifier_bad_reply"]);
  });

  /** Every subset of the three pairs, each named by the one that it leaves out. */
  const SUBSETS = Array.from({ length: 8 }, (_, bits) => [0, 1, 2].filter((out) => bits & (1 << out)));

  test.each(SUBSETS)("counts what came where the pairs without %s, %s, %s failed", async (...left) => {
    engineAnswers.behave = (request) => {
      const shown = shownIn(textOf(request));
      if (left.some((out) => !shown.includes(out as number))) return answer("\\boxed{A}");
      return streamed((STYLES["text-select"] as (p: number[]) => Piece[])(odds(shown)), false);
    };
    const { group, rewards } = await judged(protocol, { preset: "text-select", min_decided: 0.1 });
    const expected = [0, 1, 2].map((own) => {
      const met = [0, 1, 2].filter((other) => other !== own && !left.includes(3 - own - other));
      const won = met.reduce((sum, other) => sum + sigmoid(own - other), 0) / met.length;
      return met.length === 0 ? null : expect.closeTo(won, 6);
    });
    expect(rewards).toEqual(expected);
    expect(group.rollouts.map(({ error }) => error)).toEqual(
      expected.map((one) => (one === null ? "logprobs_unavailable" : null)),
    );
  });
});
