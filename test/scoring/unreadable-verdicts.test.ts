import { describe, expect, it } from "vitest";
import type { Reading } from "../../src/core/asking/readings.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { BUILT_IN_DEFAULT } from "../../src/core/reward/default-spec.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeJournal } from "../harness/fake-journal.ts";
import { fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";

import { byValue, printed, program, rolloutsOf, score, scoreOne } from "./score-setup.ts";

describe("scoreBatch, verdicts that cannot be read", () => {
  const mute: Script = () => "I cannot decide.";
  const texts = [program(3), program(2), program(1)];

  it("gives null and the code in pairs and in a list, never 0.5", async () => {
    for (const mode of ["pairwise", "listwise"] as const) {
      const group = await scoreOne(texts, { verifier: fakeVerifier(mute), spec: { judge: { mode } } });
      expect(group).toMatchObject({ status: "failed", selected: null, win_counts: [null, null, null] });
      for (const rollout of group.rollouts) {
        expect(rollout).toMatchObject({ reward: null, error: "unparsed", ties: 0, undecided: 2 });
        expect(rollout.unparsed).toBeGreaterThan(0);
      }
    }
  });

  it("gives ties where the spec says tie", async () => {
    for (const mode of ["pairwise", "listwise"] as const) {
      const spec: SpecInput = { judge: { mode, unparsed: "tie" } };
      const group = await scoreOne(texts, { verifier: fakeVerifier(mute), spec });
      expect(group.rollouts.map(({ reward }) => reward)).toEqual([0.5, 0.5, 0.5]);
      expect(group).toMatchObject({ status: "ok", selected: null });
    }
  });

  it("reads a tie that the verifier declares as a verdict", async () => {
    const group = await scoreOne(texts, { verifier: fakeVerifier(() => "Alike. \\boxed{tie}") });
    expect(group.rollouts.map(({ reward, ties, unparsed }) => [reward, ties, unparsed])).toEqual(
      texts.map(() => [0.5, 2, 0]),
    );
    expect(group).toMatchObject({ status: "ok", selected: null, metrics: { parse_rate: 1 } });
  });

  it("asks once more, with a fresh seed, and counts the second answer", async () => {
    const verifier = fakeVerifier((shown, about) => (about.sample < 128 ? "Hm." : byValue(shown, about)));
    const group = await scoreOne(texts, { verifier });
    expect(group.rollouts.map(({ reward, unparsed }) => [reward, unparsed])).toEqual([
      [1, 2],
      [0.5, 2],
      [0, 2],
    ]);
    expect(group.verifier).toMatchObject({ comparisons: 3, generations: 6, parsed: 3, unparsed: 3 });
    const asked = verifier.jobs.flatMap(({ questions }) => questions);
    expect(asked.slice(3).map(({ shown, first_sample }) => [shown, first_sample])).toEqual(
      expect.arrayContaining(asked.slice(0, 3).map(({ shown }) => [shown, 128])),
    );
    const once = await scoreOne(texts, { verifier, spec: { judge: { reask: 0 } } });
    expect(once).toMatchObject({ status: "failed", verifier: { generations: 3 } });
  });

  it("asks again only what has no readable verdict, in lists too, and a failure not at all", async () => {
    const half: Script = (shown, about) =>
      about.sample % 2 === 0 && about.sample < 128 ? "Hm." : byValue(shown, about);
    const samples = await scoreOne(texts, { verifier: fakeVerifier(half), spec: { judge: { samples: 2 } } });
    expect(samples).toMatchObject({ status: "ok", verifier: { generations: 6 } });
    const list = await scoreOne(texts, {
      verifier: fakeVerifier(half),
      spec: { judge: { mode: "listwise", samples: 2, both_orders: true } },
    });
    expect(list.verifier).toMatchObject({ comparisons: 4, generations: 6, parsed: 4, unparsed: 2 });
    const dead = fakeVerifier(() => ({ error: "deadline" }));
    expect((await scoreOne(texts, { verifier: dead })).verifier).toMatchObject({ generations: 3, failed: 3 });
  });

  it("shares what was asked again between groups of one prompt, at the first one's cost", async () => {
    const verifier = fakeVerifier((shown, about) => (about.sample < 128 ? "Hm." : byValue(shown, about)));
    const rollouts = rolloutsOf(texts);
    const { reply, entry } = await score([{ rollouts }, { rollouts: [...rollouts].reverse() }], { verifier });
    expect(reply.rewards).toEqual([
      [1, 0.5, 0],
      [0, 0.5, 1],
    ]);
    expect(reply.groups.map(({ verifier: { generations, saved } }) => [generations, saved])).toEqual([
      [6, 0],
      [0, 6],
    ]);
    const keys = (entry.groups[0]?.verdicts ?? []).map(({ comparison, sample }) => `${comparison}.${sample}`);
    expect(new Set(keys).size).toBe(6);
  });

  it("asks nothing of what a journal knows, whichever of the two askings it knows", async () => {
    const kept = new Map<string, readonly Reading[]>();
    const journal = fakeJournal({
      known: (key) => (kept.has(key) ? { readings: kept.get(key) as Reading[], charged: true } : undefined),
      onReadings: (key, readings) => void kept.set(key, readings),
    });
    const run = async () => {
      const verifier = fakeVerifier((shown, about) => (about.sample < 128 ? "Hm." : byValue(shown, about)));
      const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts: rolloutsOf(texts) }] });
      const batch = { request, spec: BUILT_IN_DEFAULT, started_ms: 0, signal: new AbortController().signal, journal };
      const { reply } = await scoreBatch({ verifier, clock: fixedClock() }, batch);
      const { groups, rewards } = reply;
      return { asked: verifier.jobs.flatMap(({ questions }) => questions).length, result: { groups, rewards } };
    };
    const first = await run();
    expect(first.asked).toBe(6);
    expect(kept.size).toBe(6);
    expect(await run()).toEqual({ asked: 0, result: first.result });
    for (const key of kept.keys()) if (key.includes(":128+")) kept.delete(key);
    expect(await run()).toEqual({ asked: 3, result: first.result });
  });

  it("asks again within the generations that a request may have", async () => {
    const verifier = fakeVerifier(mute, { generations_max: 4 });
    const group = await scoreOne(texts, { verifier });
    expect(group.verifier.generations).toBe(4);
    const moved = await scoreOne([...texts].reverse(), { verifier: fakeVerifier(mute, { generations_max: 4 }) });
    expect(moved.rollouts.map(({ unparsed }) => unparsed).reverse()).toEqual(
      group.rollouts.map(({ unparsed }) => unparsed),
    );
  });

  it("flags who keeps the verifier from answering, gives it no reward and its neighbours theirs", async () => {
    const jam: Script = (shown, about) =>
      shown.some((text) => printed(text) === 9) ? "I refuse." : byValue(shown, about);
    const five = [9, 4, 3, 2].map(program);
    const { reply } = await score([{ rollouts: rolloutsOf(five) }], { verifier: fakeVerifier(jam) });
    const [group] = reply.groups as [GroupResult];
    expect(group.rollouts.map(({ reward, error, jams_judge }) => [reward, error, jams_judge])).toEqual([
      [null, "unparsed", true],
      [1, null, false],
      [0.5, null, false],
      [0, null, false],
    ]);
    expect(group.status).toBe("partial");
    expect(reply.warnings).toContain("jams_judge");
    const spec: SpecInput = { format: { rules: ["has_candidate", "judgeable"] } };
    const judgeable = await scoreOne(five, { verifier: fakeVerifier(jam), spec });
    expect(judgeable.rollouts.map(({ reward, wins }) => [reward, wins])).toEqual([
      [-1, 0],
      [1, 3],
      [2 / 3, 2],
      [1 / 3, 1],
    ]);
    expect(judgeable.rollouts[0]).toMatchObject({ losses: 3, forfeits: 3, undecided: 0, format_ok: false });
    expect(judgeable.status).toBe("ok");
  });

  it("warns of flat rewards: few readable answers, no candidates, a language nobody knows", async () => {
    const rollouts = rolloutsOf(texts);
    const warningsOf = async (group: Parameters<typeof score>[0][number], script: Script = byValue) =>
      (await score([group], { verifier: fakeVerifier(script) })).reply.warnings;
    expect(await warningsOf({ rollouts })).toEqual([]);
    expect(await warningsOf({ rollouts }, mute)).toEqual([
      "parse_rate_low",
      "groups_failed: 1 of 1 groups have no reward: unparsed",
    ]);
    expect(await warningsOf({ rollouts: rolloutsOf(["a poem", "another"]) })).toEqual(["no_candidates"]);
    expect(await warningsOf({ rollouts, language: "cobol" })).toEqual(["language_not_supported"]);
    expect(await warningsOf({ rollouts, language: "Python" })).toEqual([]);
  });

  it("warns of flat groups where they are over 30 % of four or more, and of no fewer", async () => {
    const [flat, told] = [{ rollouts: rolloutsOf([program(3), program(3)]) }, { rollouts: rolloutsOf(texts) }];
    const warned = async (...groups: Parameters<typeof score>[0]) => {
      const { reply } = await score(groups, { verifier: fakeVerifier(byValue) });
      return reply.warnings.filter((text) => text.startsWith("flat_groups"));
    };
    const said = "flat_groups: 2 of 4 complete groups have equal rewards and give no training signal";
    expect(await warned(flat, flat, told, told)).toEqual([said]);
    expect(await warned(flat, told, told, told)).toEqual([]);
    expect(await warned(flat, flat, told)).toEqual([]);
  });

  it("keeps incomplete groups out of the means: a dead verifier leaves no mean of its malformed rollouts", async () => {
    const dead: Script = (shown, about) =>
      shown.some((text) => printed(text) > 5) ? { error: "verifier_unavailable" } : byValue(shown, about);
    const rated = (text: string, pass_rate: number) => ({ text, pass_rate });
    const incomplete = { rollouts: [rated(program(9), 1), rated(program(8), 0.5), rated("no code", 0)] };
    const complete = { rollouts: [rated(program(3), 1), rated(program(2), 0)] };
    const { reply: alone } = await score([incomplete], { verifier: fakeVerifier(dead) });
    expect(alone.rewards).toEqual([[null, null, -1]]);
    const nothing = { reward_mean: null, reward_std: null, list_acc: null };
    expect(alone.groups[0]?.metrics).toMatchObject({ ...nothing, tau_b: null });
    expect(alone.metrics).toMatchObject({ ...nothing, tau_b_mean: null });
    const { reply: both } = await score([incomplete, complete], { verifier: fakeVerifier(dead) });
    expect(both.metrics).toMatchObject({ reward_mean: 0.5, reward_std: 0.5, list_acc: 1, tau_b_mean: 1 });
  });
});
