// Labels that a twin group votes for, and which answers are one: against Co-rewarding's own code,
// over HTTP by index and id, and classes within a tolerance whatever order answers come in.
import { describe, expect, test } from "vitest";
import { answerClasses } from "../../../src/core/candidate/answers/answer-classes.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { bordaShares, majorityRewards } from "../../../src/core/signals/consensus.ts";
import { problemOf, setUp } from "../../api/routes/harness.ts";
import fc from "../../harness/property.ts";
import vectors from "../../vectors/published_rewards.json" with { type: "json" };

describe("a twin's majority", () => {
  test.each(vectors.co_reward.map((v, i) => [i, v] as const))("is Co-rewarding's label: %i", (_, v) => {
    const [a = [], b = []] = v.answers;
    for (const [own, twin, g] of [
      [a, b, 0],
      [b, a, 1],
    ] as const) {
      const found = majorityRewards(own, {}, twin);
      const codes = new Set(found.map(({ code }) => code));
      // Their first seen wins a tie, and without a label all have lost; here neither is a number.
      if (v.labels[g] === "") expect(codes).toEqual(new Set(["no_answer"]));
      else if (v.tied[g] === true) expect(codes).toEqual(new Set(["no_majority"]));
      else expect(found.map(({ value }) => value)).toEqual(v.rewards[g]);
    }
  });

  const rollouts = (...answers: (string | null)[]) => answers.map((answer) => ({ text: "t", answer }));
  const body = (settings: object, groups: readonly object[]) => ({
    step: 1,
    spec: { signals: { it: { kind: "consensus", form: "co_reward", label_free: true, max_steps: 9, ...settings } } },
    groups,
  });
  const rewarded = async (settings: object, groups: readonly object[]) => {
    const response = await setUp().post("/v1/rewards", body(settings, groups));
    const reply = (await response.json()) as RewardsReply;
    if (response.status !== 200) throw new Error(JSON.stringify(reply));
    return reply.groups.map((group) => group.rollouts.map(({ reward, error }) => reward ?? error));
  };

  test("is named by index or by id, one way or both, and equal by the rules of reference", async () => {
    const groups = [
      { prompt: "1/2 + 0?", twin: "other", rollouts: rollouts("0.5", "2", null) },
      {
        group_id: "other",
        prompt: "What is half of one?",
        twin: 0,
        rollouts: rollouts("\\frac{1}{2}", "1/2", "0.5", "7"),
      },
      { prompt: "A half, as a decimal?", twin: 1, rollouts: rollouts("1", "0.50") },
    ];
    expect(await rewarded({}, groups)).toEqual([
      [1, 0, 0],
      ["no_majority", "no_majority", "no_majority", "no_majority"],
      [0, 1],
    ]);
    expect((await rewarded({ max_steps: 1 }, groups)).flat()).toEqual(new Array(9).fill("label_free_over"));
  });

  test("without an answer is no label, and who gives none has lost or by the spec's word has no value", async () => {
    const groups = [
      { prompt: "a", twin: 1, rollouts: rollouts("1", null) },
      { prompt: "b", twin: 0, rollouts: rollouts(null) },
    ];
    expect(await rewarded({}, groups)).toEqual([["no_answer", 0], [0]]);
    expect(await rewarded({ unreadable: "null" }, groups)).toEqual([["no_answer", "no_answer"], ["no_answer"]]);
  });

  test.each([[0], [2], ["none"], ["self"]])(
    "that is %j of a group without such another is refused by field",
    async (twin) => {
      const groups = [
        { prompt: "a", group_id: "self", twin, rollouts: rollouts("1") },
        { prompt: "b", twin: 0, rollouts: rollouts("1") },
      ];
      const problem = await problemOf(await setUp().post("/v1/rewards", body({}, groups)));
      expect(problem).toMatchObject({ code: "invalid_request", errors: [{ path: "groups[0].twin" }] });
    },
  );

  test("is a fact of every group, and settings of answers are none of a form that reads none", async () => {
    const refused = async (settings: object, groups: readonly object[]) =>
      (await problemOf(await setUp().post("/v1/rewards", body(settings, groups)))).errors?.map(({ path }) => path);
    expect(await refused({}, [{ prompt: "a", rollouts: rollouts("1") }])).toEqual(["groups[0].twin"]);
    const certain = [{ prompt: "a", rollouts: [{ text: "t", self_certainty: 1 }] }];
    for (const settings of [{ tolerance: 0.01 }, { answer_type: "number" }, { power: 2 }]) {
      expect(await refused({ form: "self_certainty", ...settings }, certain)).toEqual([
        `spec.signals.it.${Object.keys(settings)[0]}`,
      ]);
    }
  });
});

describe("votes by self-certainty", () => {
  test("are (N - rank + 1)^power, summed over equal answers, as a share of all", () => {
    // Ranks 1 to 4 vote 2, 3^0.5, 2^0.5 and 1.
    const answers = ["1/2", "7", "0.5", "8"];
    const all = 2 + 3 ** 0.5 + 2 ** 0.5 + 1;
    const found = bordaShares(answers, [9, 2.5, 0.25, -3], 0.5);
    const expected = [2 + 2 ** 0.5, 3 ** 0.5, 2 + 2 ** 0.5, 1].map((votes) => votes / all);
    for (const [r, share] of found.entries()) expect(share).toBeCloseTo(expected[r] as number, 15);
    expect(bordaShares(["a", "b", "a"], [1, 1, 1], 3)).toEqual([2 / 3, 1 / 3, 2 / 3]);
  });

  test("of equal certainty share their rank, and who gives no answer votes for none", () => {
    const tied = bordaShares(["a", "b", "c", null], [5, 5, 1, 9]);
    for (const [r, share] of [2.5 / 6, 2.5 / 6, 1 / 6, 0].entries()) expect(tied[r]).toBeCloseTo(share, 15);
    expect(bordaShares([null, ""], [1, 2])).toEqual([0, 0]);
    expect(bordaShares(["a"], [0])).toEqual([1]);
    // However large the power, the surest who answers has all, and nothing is infinite.
    expect(bordaShares(["a", null, "b"], [1, 9, 2], 1e300)).toEqual([0, 0, 1]);
  });

  test("come to the same share of votes, to the last bit, whatever order rollouts come in", () => {
    const rollout = fc.tuple(fc.constantFrom("1", "2", "3", null), fc.integer({ min: 0, max: 5 }));
    fc.assert(
      fc.property(
        fc.array(rollout, { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (all, power) => {
          const of = (some: typeof all) =>
            bordaShares(
              some.map(([a]) => a),
              some.map(([, c]) => c),
              power,
            );
          expect(of([...all].reverse())).toEqual(of(all).reverse());
        },
      ),
    );
  });
});

describe("classes of answers", () => {
  const within = (...answers: (string | null)[]) => answerClasses(answers, { type: "auto", tolerance: 10_000n });
  const count = (classes: readonly (string | null)[]) => new Set(classes).size;

  test("within a tolerance hold what is one through others, of plain numbers alone", () => {
    expect(count(within("1", "1.009", "1.018", "1.05"))).toBe(2);
    expect(count(within("1", "1.018"))).toBe(2);
    expect(count(within("50%", "50.1%", "50"))).toBe(2);
    expect(count(within("(1, 2)", "(1.001, 2)", "A", "word"))).toBe(4);
    expect(count(within("-1", "-1.005", "0", "1e-400"))).toBe(3);
    expect(within(null, "")).toEqual([null, null]);
    expect(count(answerClasses(["1", "1.0", "2/2", "1.001"], { type: "auto", tolerance: 0n }))).toBe(2);
  });

  test("are the same whatever order answers come in", () => {
    const number = fc.integer({ min: -120, max: 120 }).map((n) => `${n / 100}`);
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 12 }), fc.integer({ min: 0, max: 11 }), (all, turn) => {
        const at = turn % all.length;
        const turned = within(...all.slice(at), ...all.slice(0, at));
        expect([...turned.slice(all.length - at), ...turned.slice(0, all.length - at)]).toEqual(within(...all));
      }),
    );
  });

  test("of two full groups of the longest numbers come in a moment", () => {
    const numbers = Array.from({ length: 128 }, (_, i) => `0.${"9".repeat(900)}${i + 100}`);
    expect(count(within(...numbers))).toBe(1);
  });
});
