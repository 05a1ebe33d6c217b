import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import type { Reading } from "../../src/core/judges/readings.ts";
import { createRandom, shuffled } from "../../src/core/math/random.ts";
import { type SpecInput, SpecSchema } from "../../src/core/signals/flat-spec.ts";
import { type RewardsRequest, RewardsRequestSchema } from "../../src/core/signals/requests.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import type { VerifierSession } from "../../src/scoring/ports.ts";
import type { ReadingJournal } from "../../src/scoring/reading-journal.ts";
import { type ScoredBatch, scoreBatch } from "../../src/scoring/score-batch.ts";
import { type FakeVerifier, fakeVerifier, fixedClock, preferring, type Script } from "../harness/fakes.ts";

const program = (value: number) => `Some thoughts.\n\`\`\`python\nprint(${value})\n\`\`\`\n`;
const printed = (candidate: string) => Number(/print\((-?[\d.]+)\)/.exec(candidate)?.[1]);
const byValue: Script = preferring(printed);

type Rollouts = RewardsRequest["groups"][number]["rollouts"];
const rolloutsOf = (texts: readonly string[]): Rollouts => texts.map((text) => ({ text }));

async function score(
  groups: { rollouts: Rollouts; prompt?: string; language?: string }[],
  options: { spec?: SpecInput; verifier?: FakeVerifier; deadline_ms?: number; signal?: AbortSignal } = {},
): Promise<ScoredBatch> {
  const request = RewardsRequestSchema.parse({
    groups: groups.map(({ prompt = "Print the largest.", ...group }) => ({ prompt, ...group })),
    ...(options.deadline_ms !== undefined && { deadline_ms: options.deadline_ms }),
  });
  const verifier = options.verifier ?? fakeVerifier(byValue);
  const signal = options.signal ?? new AbortController().signal;
  const spec = SpecSchema.parse(options.spec ?? {});
  return scoreBatch({ verifier, clock: fixedClock() }, { request, spec, started_ms: 0, signal });
}

async function scoreOne(texts: readonly string[], options: Parameters<typeof score>[1] = {}): Promise<GroupResult> {
  const { reply } = await score([{ rollouts: rolloutsOf(texts) }], options);
  return reply.groups[0] as GroupResult;
}

describe("comments that cannot be stripped", () => {
  const spec = { candidate: { strip_comments: true } } as const;
  const tagged = (tag: string, value: number) => `\`\`\`${tag}\nprint(${value}) # the best\n\`\`\``;

  it("lose nobody a reward where the caller names the language, whatever the tag says", async () => {
    const verifier = fakeVerifier(byValue);
    const rollouts = rolloutsOf([tagged("text", 3), tagged("python3.12", 2), tagged("{python}", 1), tagged("", 0)]);
    const { reply } = await score([{ rollouts, language: "python" }], { spec, verifier });
    expect(reply.warnings).toEqual([]);
    expect(reply.rewards).toEqual([[1, 2 / 3, 1 / 3, 0]]);
  });

  it("cost the rollout its candidate, and the reply says so: it never gains by its tag", async () => {
    for (const [tag, language] of [
      ["ruby", "python"],
      ["c", "python"],
      ["text", undefined],
      ["", undefined],
    ] as const) {
      const rollouts = rolloutsOf([tagged(tag, 9), tagged("python", 2), tagged("python", 1)]);
      const { reply } = await score([{ rollouts, ...(language && { language }) }], { spec });
      expect(reply.warnings, tag).toEqual(["strip_skipped"]);
      expect(reply.rewards, tag).toEqual([[-1, 1, 0.5]]);
      const free = await score([{ rollouts, ...(language && { language }) }], {
        spec: { ...spec, format: { rules: [] } },
      });
      expect(free.reply.rewards, tag).toEqual([[0, 1, 0.5]]);
    }
  });

  it("are kept, with a warning, where the caller's own language cannot be stripped", async () => {
    const { reply } = await score([{ rollouts: rolloutsOf([tagged("cobol", 2), tagged("", 1)]), language: "cobol" }], {
      spec,
    });
    expect(reply.warnings).toEqual(["strip_skipped", "language_not_supported"]);
    expect(reply.rewards).toEqual([[1, 0]]);
  });
});

describe("scoreBatch, pairwise", () => {
  it("turns wins into rewards, counts and metrics as the contract's example shows", async () => {
    const rollouts = [3, 2, 1].map((v) => ({ text: program(v), pass_rate: v === 3 ? 1 : 0.4 }));
    const { reply } = await score([{ rollouts }]);
    expect(reply.rewards).toEqual([[1, 0.5, 0]]);
    const [group] = reply.groups as [GroupResult];
    expect(group).toMatchObject({ status: "ok", win_counts: [2, 1, 0], selected: 0, selected_tied: [0] });
    expect(group.metrics.tau_b).toBeCloseTo(0.816496580927726, 12);
    expect(group.metrics).toMatchObject({ parse_rate: 1, list_acc: true, tau_b_undefined: null, reward_mean: 0.5 });
    expect(group.metrics.reward_std).toBeCloseTo(0.408248290463863, 12);
    expect(group.verifier).toMatchObject({
      comparisons: 3,
      generations: 3,
      parsed: 3,
      unparsed: 0,
      failed: 0,
      saved: 0,
    });
  });

  it("does not ask about a malformed rollout: base 0, the penalty, a loss to each well-formed one", async () => {
    const verifier = fakeVerifier(byValue);
    const group = await scoreOne(["no code", program(2), program(1)], { verifier, spec: { format: { penalty: 0.5 } } });
    expect(group.rollouts[0]).toMatchObject({
      reward: -0.5,
      components: { base: 0, format: -0.5, overlong: 0 },
      losses: 2,
      forfeits: 2,
      format_ok: false,
    });
    expect(group.rollouts[1]).toMatchObject({ reward: 1, wins: 2 });
    expect(verifier.jobs[0]?.candidates).toHaveLength(2);
  });

  it("merges duplicates: no comparison between them, a tie, and each comparison counts for all", async () => {
    const texts = [program(2), program(1), `${program(2)}   `.replace("print(2)", "print(2)  ")];
    const group = await scoreOne(texts);
    expect(group.verifier.comparisons).toBe(1);
    expect(group.rollouts.map(({ duplicate_of }) => duplicate_of)).toEqual([null, null, 0]);
    expect(group.rollouts[0]).toMatchObject({ wins: 1, ties: 1, losses: 0, reward: 0.75 });
    expect(group.rollouts[2]).toMatchObject({ wins: 1, ties: 1, losses: 0, reward: 0.75 });
    expect(group.rollouts[1]).toMatchObject({ losses: 2, reward: 0 });
  });

  it("shares comparisons between groups of one prompt, and says what it saved", async () => {
    const verifier = fakeVerifier(byValue);
    const rollouts = rolloutsOf([program(3), program(2), program(1)]);
    const { reply } = await score(
      [{ rollouts }, { rollouts: [...rollouts].reverse() }, { rollouts, prompt: "Other." }],
      { verifier },
    );
    expect(reply.rewards).toEqual([
      [1, 0.5, 0],
      [0, 0.5, 1],
      [1, 0.5, 0],
    ]);
    expect(reply.groups.map(({ verifier }) => [verifier.generations, verifier.saved])).toEqual([
      [3, 0],
      [0, 3],
      [3, 0],
    ]);
    expect(verifier.jobs.flatMap(({ questions }) => questions)).toHaveLength(6);
  });

  it("gives null with a code, never a number, when the verifier fails", async () => {
    const group = await scoreOne([program(3), program(2)], {
      verifier: fakeVerifier(() => ({ error: "verifier_unavailable" })),
    });
    expect(group.status).toBe("failed");
    expect(group.win_counts).toEqual([null, null]);
    expect(group.selected).toBeNull();
    for (const rollout of group.rollouts) {
      expect(rollout).toMatchObject({ reward: null, error: "verifier_unavailable", rank: null, undecided: 1 });
      expect(rollout.components.base).toBeNull();
    }
    expect(group.metrics).toMatchObject({ parse_rate: null, reward_mean: null, reward_std: null });
  });

  it("invents no reward out of forfeits and duplicates when the verifier fails", async () => {
    const verifier = fakeVerifier(() => ({ error: "verifier_unavailable" }));
    const group = await scoreOne([program(3), program(2), "no code", program(2)], { verifier });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "verifier_unavailable"],
      [null, "verifier_unavailable"],
      [-1, null],
      [null, "verifier_unavailable"],
    ]);
    expect(group.win_counts).toEqual([null, null, 0, null]);
    expect(group).toMatchObject({ status: "partial", selected: null });
  });

  it("gives no win rate over what happened to be decided, unless the spec asks for less than all", async () => {
    const script: Script = (shown, about) =>
      shown.some((text) => printed(text) === 1) ? { error: "deadline" } : byValue(shown, about);
    const texts = [program(3), program(2), program(1)];
    const strict = await scoreOne(texts, { verifier: fakeVerifier(script) });
    expect(strict.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "partial"],
      [null, "partial"],
      [null, "deadline"],
    ]);
    expect(strict).toMatchObject({ status: "failed", win_counts: [null, null, null], selected: null });
    const spec: SpecInput = { judge: { min_decided: 0.5 } };
    const group = await scoreOne(texts, { verifier: fakeVerifier(script), spec });
    expect(group.status).toBe("partial");
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [1, null],
      [0, null],
      [null, "deadline"],
    ]);
    expect(group.metrics.tau_b_undefined).toBe("no_labels");
  });

  it("is null with group_too_small for a rollout that is alone", async () => {
    const group = await scoreOne([program(1)]);
    expect(group.rollouts[0]).toMatchObject({ reward: null, error: "group_too_small" });
    expect(group.status).toBe("failed");
  });

  it("never reads an unclosed thought or an answer cut by length as a verdict", async () => {
    const cut = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", finish_reason: "length" })),
    });
    for (const rollout of cut.rollouts) {
      expect(rollout).toMatchObject({ reward: null, error: "unparsed", ties: 0, undecided: 1 });
    }
    const looped = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", finish_reason: "repetition" })),
    });
    expect(looped.metrics.parse_rate).toBe(0);
    const unclosed = await scoreOne([program(2), program(1)], {
      verifier: fakeVerifier(() => ({ answer: "\\boxed{A}", thinking: "unclosed" })),
    });
    expect(unclosed.metrics.parse_rate).toBe(0);
    expect(unclosed.selected).toBeNull();
  });

  it("adds the overlong punishment from the length given, and refuses to guess one", async () => {
    const spec: SpecInput = { overlong: { max_tokens: 100, cache_tokens: 20 } };
    const lengths = [90, 80];
    const { reply } = await score(
      [{ rollouts: lengths.map((length_tokens, i) => ({ text: program(2 - i), length_tokens })) }],
      { spec },
    );
    expect(reply.rewards).toEqual([[0.5, 0]]);
    await expect(scoreOne([program(1), program(2)], { spec })).rejects.toMatchObject({
      code: "length_tokens_required",
      errors: [{ path: "groups[0].rollouts[0].length_tokens" }, { path: "groups[0].rollouts[1].length_tokens" }],
    });
  });

  it("measures position bias in both orders: an always-A verifier flips every pair", async () => {
    const biased = fakeVerifier(() => "\\boxed{A}");
    const group = await scoreOne([program(3), program(2), program(1)], {
      verifier: biased,
      spec: { judge: { both_orders: true } },
    });
    expect(group.metrics.position_flip_rate).toBe(1);
    expect(group.rollouts.map(({ reward }) => reward)).toEqual([0.5, 0.5, 0.5]);
    const fair = await scoreOne([program(3), program(2)], { spec: { judge: { both_orders: true } } });
    expect(fair.metrics.position_flip_rate).toBe(0);
  });

  it("reads the scores form: the higher score wins, equal scores tie", async () => {
    const scored: Script = (shown) => `\\boxed{[${shown.map((text) => Math.min(10, printed(text))).join(",")}]}`;
    const group = await scoreOne([program(12), program(10), program(4)], {
      verifier: fakeVerifier(scored),
      spec: { judge: { form: "scores" } },
    });
    expect(group.rollouts.map(({ wins, ties }) => [wins, ties])).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    expect(group.metrics.parse_rate).toBe(1);
  });
});

describe("scoreBatch, listwise", () => {
  const spec: SpecInput = { judge: { mode: "listwise", samples: 5 } };

  it("counts votes over seeded permutations", async () => {
    const group = await scoreOne([program(1), program(3), program(2)], { spec });
    expect(group.rollouts.map(({ votes }) => votes)).toEqual([0, 5, 0]);
    expect(group.win_counts).toEqual([0, 2, 0]);
    expect(group).toMatchObject({ selected: 1, status: "ok" });
    expect(group.rollouts.map(({ reward }) => reward)).toEqual([0.25, 1, 0.25]);
  });

  it("refuses more than five different candidates before any call, naming the group and the limit", async () => {
    const verifier = fakeVerifier(byValue);
    const six = rolloutsOf([1, 2, 3, 4, 5, 6].map(program));
    await expect(score([{ rollouts: six.slice(0, 2) }, { rollouts: six }], { spec, verifier })).rejects.toMatchObject({
      code: "list_too_long",
      errors: [{ path: "groups[1].rollouts", message: expect.stringContaining("list_candidates_max = 5") }],
    });
    expect(verifier.jobs).toEqual([]);
  });

  it("accepts more than five rollouts when they are at most five candidates", async () => {
    const group = await scoreOne([1, 2, 3, 4, 5, 5, 5].map(program), { spec });
    expect(group.selected_tied).toEqual([4, 5, 6]);
    expect(group.selected).toBe(4);
  });
});

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
    const journal: ReadingJournal = {
      known: (key) => (kept.has(key) ? { readings: kept.get(key) as Reading[], own: true } : undefined),
      onReadings: (key, readings) => void kept.set(key, readings),
    };
    const run = async () => {
      const verifier = fakeVerifier((shown, about) => (about.sample < 128 ? "Hm." : byValue(shown, about)));
      const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts: rolloutsOf(texts) }] });
      const batch = { request, spec: DEFAULT_SPEC, started_ms: 0, signal: new AbortController().signal, journal };
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
    expect(await warningsOf({ rollouts }, mute)).toEqual(["parse_rate_low"]);
    expect(await warningsOf({ rollouts: rolloutsOf(["a poem", "another"]) })).toEqual(["no_candidates"]);
    expect(await warningsOf({ rollouts, language: "cobol" })).toEqual(["language_not_supported"]);
    expect(await warningsOf({ rollouts, language: "Python" })).toEqual([]);
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

describe("scoreBatch, invariants", () => {
  it("gives every content the same reward wherever it stands in the group", async () => {
    const noisy: Script = (shown) => {
      const first = shown.map(printed).reduce((sum, v, i) => sum + v * (i + 1), 0) % 4;
      return first < 2 ? `\\boxed{${"AB"[first]}}` : first === 2 ? "no box" : { error: "verifier_bad_reply" };
    };
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.nat(50), { minLength: 2, maxLength: 9 }),
      fc.nat(),
      async (values, turn) => {
        const order = shuffled(
          values.map((_, i) => i),
          createRandom(turn),
        );
        const direct = await scoreOne(values.map(program), { verifier: fakeVerifier(noisy) });
        const moved = await scoreOne(
          order.map((i) => program(values[i] as number)),
          { verifier: fakeVerifier(noisy) },
        );
        expect(order.map((i) => direct.rollouts[i])).toEqual(moved.rollouts);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("does not depend on the order in which generations finish", async () => {
    const values = [5, 3, 8, 1, 9, 2];
    const direct = await scoreOne(values.map(program), { spec: { judge: { samples: 3 } } });
    for (let seed = 0; seed < 5; seed++) {
      const late = await scoreOne(values.map(program), { spec: { judge: { samples: 3 } }, verifier: reordering(seed) });
      expect(late).toEqual(direct);
    }
  });

  it("marks what a broken adapter never reported as failed", async () => {
    const silent = fakeVerifier(byValue);
    const session: VerifierSession = {
      stats: { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 },
      judge: () => Promise.reject(new Error("bug")),
    };
    const group = await scoreOne([program(1), program(2)], { verifier: { ...silent, session: () => session } });
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual([
      [null, "verifier_bad_reply"],
      [null, "verifier_bad_reply"],
    ]);
  });

  it("stops at the deadline with nulls and the code", async () => {
    const verifier = fakeVerifier(byValue, { gate: new Promise(() => {}) });
    const group = await scoreOne([program(1), program(2)], { verifier, deadline_ms: 100 });
    expect(group.rollouts.map(({ error }) => error)).toEqual(["deadline", "deadline"]);
  });

  it("stops when the client goes", async () => {
    const controller = new AbortController();
    const verifier = fakeVerifier(byValue, { gate: new Promise(() => {}) });
    const pending = scoreOne([program(1), program(2)], { verifier, signal: controller.signal });
    controller.abort("cancelled");
    expect((await pending).rollouts.map(({ error }) => error)).toEqual(["cancelled", "cancelled"]);
  });

  it("refuses more generations than the protocol allows, naming both numbers", async () => {
    const verifier = fakeVerifier(byValue, { generations_max: 5 });
    const refused = scoreOne([1, 2, 3, 4].map(program), { verifier });
    await expect(refused).rejects.toThrow(/6 generations; the limit generations_openai_max is 5; send fewer/);
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  });

  it("logs rows from which the counts follow", async () => {
    const { entry, reply } = await score([{ rollouts: rolloutsOf([3, 1, 2].map(program)) }], {
      spec: { log_texts: true },
    });
    const [group] = entry.groups;
    const wins = [0, 0, 0];
    for (const { order, letter } of group?.verdicts ?? []) {
      const winner = order["ABCDE".indexOf(letter as string)] as number;
      wins[winner] = (wins[winner] as number) + 1;
    }
    expect(wins).toEqual(reply.groups[0]?.win_counts);
    expect(group?.rollouts[0]?.text).toBe(program(3));
    expect(group?.rollouts[0]?.text_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(entry.spec_hash).toBe(reply.spec_hash);
  });
});

describe("log_texts", () => {
  it("stores no texts of a request whose texts are over the limit, and says so", async () => {
    const long = "x".repeat(500_000);
    const rollouts = rolloutsOf(Array.from({ length: 9 }, (_, i) => long + program(i)));
    const { entry, reply } = await score([{ rollouts }], { spec: { log_texts: true } });
    expect(reply.warnings).toEqual(["texts_not_logged"]);
    expect(entry.groups[0]?.rollouts.map(({ text }) => text)).toEqual(Array(9).fill(null));
    const within = await score([{ rollouts: rollouts.slice(0, 8) }], { spec: { log_texts: true } });
    expect(within.reply.warnings).toEqual([]);
    expect(within.entry.groups[0]?.rollouts[0]?.text).toBe(long + program(0));
  });
});

/** The fake, but each job's generations are reported in a seeded order. */
function reordering(seed: number): FakeVerifier {
  const inner = fakeVerifier(byValue);
  return {
    ...inner,
    session(call) {
      const session = inner.session(call);
      return {
        stats: session.stats,
        async judge(job, sink) {
          const all: Generation[] = [];
          await session.judge(job, (generation) => all.push(generation));
          for (const generation of shuffled(all, createRandom(seed))) sink(generation);
        },
      };
    },
  };
}
