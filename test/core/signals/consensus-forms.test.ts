// Labels that a twin group votes for, and which answers are one: against Co-rewarding's own code,
// over HTTP by index and id, and classes within a tolerance whatever order answers come in.
import { describe, expect, test } from "vitest";
import { answerClasses } from "../../../src/core/candidate/answers/answer-classes.ts";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import { majorityRewards } from "../../../src/core/signals/consensus.ts";
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
    for (const settings of [{ tolerance: 0.01 }, { answer_type: "number" }]) {
      expect(await refused({ form: "self_certainty", ...settings }, certain)).toEqual([
        `spec.signals.it.${Object.keys(settings)[0]}`,
      ]);
    }
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
