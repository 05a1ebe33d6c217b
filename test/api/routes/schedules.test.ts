// Schedules, budgets and scores over HTTP: questions, results, and refusals by field.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { Script } from "../../harness/fakes.ts";
import { fenced, problemOf, setUp } from "./harness.ts";

/** n programs, the longer the better, and a malformed one where `malformed`. */
const request = (n: number, spec: unknown, malformed = false) => ({
  spec,
  groups: [
    {
      prompt: "Write it.",
      rollouts: [
        ...Array.from({ length: n }, (_, i) => ({ text: fenced("x".repeat(i + 1)), pass_rate: i / n })),
        ...(malformed ? [{ text: "no program", pass_rate: 0 }] : []),
      ],
    },
  ],
});

async function grouped(n: number, spec: unknown, malformed = false, script?: Script) {
  const { post, verifier } = setUp(script === undefined ? {} : { script });
  const response = await post("/v1/rewards", request(n, spec, malformed));
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const [group] = reply.groups;
  return { reply, group: group as NonNullable<typeof group>, verifier };
}

const refused = async (n: number, spec: unknown) => {
  const { detail, errors = [] } = await problemOf(await setUp().post("/v1/rewards", request(n, spec)));
  return { detail, path: errors[0]?.path };
};

describe("a schedule that leaves pairs out", () => {
  test.each(["circular", "anchored", "pivot", "swiss", "knockout", "active"])(
    "%s: every rollout has a reward, and accounts for every opponent",
    async (schedule) => {
      // Only a budget has `active` leave pairs out.
      const budget = schedule === "active" ? { budget: { generations: 20 } } : {};
      const { group } = await grouped(9, { judge: { schedule, ...budget }, reward: "strength" }, true);
      expect(group.status).toBe("ok");
      for (const { reward, wins, losses, ties, undecided, unasked = 0 } of group.rollouts) {
        expect(reward).not.toBeNull();
        expect(wins + losses + ties + undecided + unasked).toBe(9);
      }
      expect(group.rollouts.some(({ unasked = 0 }) => unasked > 0)).toBe(true);
      expect(group.rollouts[9]?.components.base).toBe(0);
      // One round against one candidate leaves several at the top.
      if (schedule !== "anchored") expect(group.selected).toBe(8);
      expect(group.metrics).toMatchObject({ cyclic: false, decided_rate: 1, tie_rate: 0, agreement: null });
      const why = { early_stop: 0, duplicate: 0, sure: 0 };
      expect(group.verifier).toMatchObject({ schedule, why });
      expect(group.verifier.why?.budget === 0).toBe(schedule !== "active");
    },
  );

  test("tells tau-b of the points, which stand on the scale of all pairs", async () => {
    const { group } = await grouped(5, { judge: { schedule: { name: "circular", degree: 2 } } });
    expect(group.points).toEqual([0, 1, 2, 3, 4]);
    expect(group.metrics.tau_b).toBe(1);
    const ring = await grouped(6, { judge: { schedule: "circular" } });
    const points = ring.group.points as number[];
    ring.group.rollouts.forEach(({ wins, losses, unasked }, r) => {
      expect(points[r]).toBeCloseTo((5 * wins) / (wins + losses), 9);
      expect(unasked).toBe(3);
    });
  });

  test("has places of its own for the score rank", async () => {
    const { group } = await grouped(8, { judge: { schedule: "knockout" }, reward: "rank" });
    expect(group.rollouts[7]?.reward).toBe(1);
    expect(group.selected).toBe(7);
  });

  test("leaves the hash and the reply of a spec that names its default as they were", async () => {
    const plain = await grouped(4, {});
    const named = await grouped(4, { judge: { schedule: { name: "round_robin" } } });
    expect(named.reply.spec_hash).toBe(plain.reply.spec_hash);
    expect(named.group).toEqual(plain.group);
    expect(plain.group).not.toHaveProperty("points");
    expect(plain.group.rollouts[0]).not.toHaveProperty("unasked");
    const [one, other] = await Promise.all(
      [{ name: "circular", degree: 1 }, "circular"].map((schedule) => grouped(4, { judge: { schedule } })),
    );
    expect(one?.reply.spec_hash).toBe(other?.reply.spec_hash);
    expect(one?.reply.spec_hash).not.toBe(plain.reply.spec_hash);
  });
});

describe("warnings", () => {
  const SENTENCE = /^unequal_games: (wins|top1|copeland) counts wins, and \w+ asks about some rollouts more often/;
  test("say that a score of wins pays whom the schedule asks about most, in the check and in the reply", async () => {
    const { post } = setUp();
    for (const schedule of ["pivot", "knockout", "anchored", "active", { name: "anchored", shown: "first" }])
      for (const reward of ["wins", "top1", "copeland"]) {
        const spec = { judge: { schedule }, reward };
        const { reply } = await grouped(6, spec);
        expect(reply.warnings).toContainEqual(expect.stringMatching(SENTENCE));
        const check = (await (await post("/v1/specs/check", spec)).json()) as { warnings: string[] };
        expect(check.warnings).toContainEqual(expect.stringMatching(SENTENCE));
        const named = { signals: { r: { kind: "tournament", judge: {}, schedule, score: reward } }, reward: "r" };
        const ofSignals = (await (await post("/v1/specs/check", named)).json()) as { warnings: string[] };
        expect(ofSignals.warnings).toContainEqual(expect.stringMatching(SENTENCE));
      }
  });

  test("say nothing where everyone is asked about as often, or the score is a mean", async () => {
    for (const [schedule, reward] of [
      ["circular", "wins"],
      ["round_robin", "top1"],
      ["swiss", "wins"],
      ["pivot", "strength"],
      ["knockout", "rank"],
    ]) {
      const { reply } = await grouped(8, { judge: { schedule }, reward });
      expect(reply.warnings.filter((warning) => warning.startsWith("unequal_games"))).toEqual([]);
    }
  });

  test("say where the first place was left open", async () => {
    const warned = async (schedule: unknown) =>
      (await grouped(9, { judge: { schedule }, reward: "strength" })).reply.warnings.some((warning) =>
        warning.startsWith("selection_unsettled: in 1 of 1 groups"),
      );
    for (const schedule of ["circular", "anchored", { name: "swiss", rounds: 1 }])
      expect(await warned(schedule)).toBe(true);
    for (const schedule of ["round_robin", "swiss", "knockout", "pivot"]) expect(await warned(schedule)).toBe(false);
  });
});

describe("blocks", () => {
  test("rank more candidates than one list shows", async () => {
    const { group } = await grouped(13, {
      judge: { mode: "listwise", schedule: { name: "blocks", size: 4 } },
      reward: "soft",
    });
    expect(group.verifier.comparisons).toBe(13);
    expect(group.rollouts.every(({ unasked }) => unasked === 0)).toBe(true);
    expect(group.selected).toBe(12);
    expect(group.rollouts[12]?.reward).toBe(1);
  });
});

describe("a budget", () => {
  test("is not exceeded, and what it leaves out is unasked, never null", async () => {
    const { group } = await grouped(16, { judge: { budget: { ratio: 0.25 } }, reward: "strength" });
    expect(group.verifier.generations).toBe(30);
    expect(group.verifier.why?.budget).toBe(90);
    expect(group.status).toBe("ok");
    expect(group.rollouts.every(({ reward, unasked = 0 }) => reward !== null && unasked > 0)).toBe(true);
    const planned = await grouped(16, { judge: { schedule: "active", budget: { generations: 50 } } });
    expect(planned.group.verifier).toMatchObject({ schedule: "active", generations: 50 });
  });

  test("of tokens counts what an answer may take until it is known", async () => {
    const judge = { max_tokens: 100, schedule: "swiss", budget: { tokens: 1500 } };
    const { group } = await grouped(8, { judge });
    expect(group.verifier.generations).toBeGreaterThanOrEqual(7);
    expect(group.verifier.completion_tokens).toBeLessThanOrEqual(1500);
  });

  test("that does not pay one pair for everyone is refused, with what it takes", async () => {
    const { detail, path } = await refused(16, { judge: { budget: { generations: 10 } } });
    expect(detail).toContain(
      "judge.budget pays for 10 generations; comparing 16 different candidates takes at least 15",
    );
    expect(path).toBe("groups[0].rollouts");
  });
});

describe("refused by field", () => {
  test.each([
    [{ judge: { schedule: { name: "circular", degree: 0 } } }, "spec.judge.schedule"],
    [{ judge: { schedule: { name: "circular", rings: 2 } } }, "spec.judge.schedule"],
    [{ judge: { schedule: "everyone" } }, "spec.judge.schedule"],
    [{ judge: { schedule: { name: "active", sure: 0.9 } } }, "spec.judge.schedule"],
    [{ judge: { schedule: "blocks" } }, "spec.judge.schedule"],
    [{ judge: { mode: "listwise", both_orders: "when_close" } }, "spec.judge.both_orders"],
    [{ judge: { mode: "listwise", samples: { max: 4 } } }, "spec.judge.samples"],
    [{ judge: { samples: { min: 5, max: 4 } } }, "spec.judge.samples"],
    [{ judge: { budget: { ratio: 0.5, generations: 4 } } }, "spec.judge.budget"],
    [{ judge: { budget: {} } }, "spec.judge.budget"],
    [{ reward: "mean_score" }, "spec.reward"],
    [{ reward: "best" }, "spec.reward"],
  ])("%j", async (spec, path) => {
    expect((await refused(4, spec)).path).toMatch(new RegExp(`^${path}`));
  });
});

describe("scores", () => {
  test.each([
    ["net_win_rate", [-1, -1 / 3, 1 / 3, 1]],
    ["copeland", [-1, -1 / 3, 1 / 3, 1]],
    ["rank", [0, 1 / 3, 2 / 3, 1]],
    ["soft", [0, 1 / 3, 2 / 3, 1]],
  ])("%s", async (reward, expected) => {
    const { reply } = await grouped(4, { reward });
    expect(reply.rewards[0]).toEqual(expected.map((value) => expect.closeTo(value, 12)));
  });

  test("mean_score is the mean of the verifier's own scores, those of a score list over 10", async () => {
    const script: Script = (shown) => `\\boxed{[${shown.map((code) => 2 * code.length).join(", ")}]}`;
    const { reply } = await grouped(3, { judge: { form: "scores" }, reward: "mean_score" }, false, script);
    expect(reply.rewards[0]).toEqual([0.2, 0.4, 0.6]);
  });
});
