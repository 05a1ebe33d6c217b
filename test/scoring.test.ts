import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RewardsRequest, RewardsRequestSchema } from "../src/core/contract.ts";
import type { GroupResult } from "../src/core/contract-replies.ts";
import { ApiError } from "../src/core/errors.ts";
import { createRandom, shuffled } from "../src/core/random.ts";
import { type SpecInput, SpecSchema } from "../src/core/spec.ts";
import type { Generation } from "../src/core/verifying.ts";
import type { VerifierSession } from "../src/ports.ts";
import { type ScoredBatch, scoreBatch } from "../src/scoring.ts";
import { type FakeVerifier, fakeVerifier, fixedClock, preferring, type Script } from "./fakes.ts";

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
    expect(verifier.jobs.flatMap(({ comparisons }) => comparisons)).toHaveLength(6);
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

  it("keeps what was decided when some comparisons fail", async () => {
    const script: Script = (shown, about) =>
      shown.some((text) => printed(text) === 1) ? { error: "deadline" } : byValue(shown, about);
    const group = await scoreOne([program(3), program(2), program(1)], { verifier: fakeVerifier(script) });
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
    expect(cut.rollouts.map(({ ties, unparsed }) => [ties, unparsed])).toEqual([
      [1, 1],
      [1, 1],
    ]);
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
