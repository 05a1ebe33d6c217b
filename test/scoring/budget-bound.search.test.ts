// Guarantees that a budget is a bound, and that `specs/check` gives another for a spec: whatever the
// schedule, the judge, and the verifier's answers, failures and unreadable texts.

import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { costOf, type GroupCost } from "../../src/core/reward/cost.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { printed, program, scoreOne } from "./score-setup.ts";

const MAX_TOKENS = 1000;

/** How a verifier behaves: shares of answers that cannot be read, fail, are refused, or are long. */
interface Behaviour {
  seed: number;
  unread: number;
  failing: number;
  refusing: number;
  long: boolean;
}

/** Some candidates keep it from answering always, the others by chance. */
const behaving = ({ seed, unread, failing, refusing, long }: Behaviour): Script =>
  function answer(shown, { sample }) {
    const values = shown.map(printed);
    const random = createRandom(hashText("budget", seed, ...values, sample));
    const completion_tokens = long ? MAX_TOKENS : Math.ceil(random() * MAX_TOKENS);
    const jam = (value: number) => createRandom(hashText("jam", seed, value))() < unread / 2;
    if (random() < failing) return { error: "verifier_unavailable" };
    if (values.some((value) => createRandom(hashText("refused", seed, value))() < refusing)) {
      return { error: random() < 0.5 ? "context_exceeded" : "content_filtered" };
    }
    const finish_reason = random() < 0.5 ? "length" : "stop";
    if (random() < unread || values.some(jam)) return { answer: "Hm.", completion_tokens, finish_reason };
    const place = Math.floor(random() * shown.length);
    return { answer: `\\boxed{${"ABCDE"[place]}}`, completion_tokens };
  };

const behaviours: fc.Arbitrary<Behaviour> = fc.record({
  seed: fc.nat(),
  unread: fc.constantFrom(0, 0.1, 0.5, 1),
  failing: fc.constantFrom(0, 0, 0.2),
  refusing: fc.constantFrom(0, 0, 0.3),
  long: fc.boolean(),
});

const given = (all: object) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));

/** Judges of every schedule; `budget` of every form where it is asked for. */
const judges = (budgets: fc.Arbitrary<object | undefined>) =>
  fc.constantFrom(...Object.entries(SCHEDULES)).chain(([schedule, { mode }]) =>
    fc
      .record({
        budget: budgets,
        reask: fc.integer({ min: 0, max: 3 }),
        both_orders: mode === "listwise" ? fc.boolean() : fc.constantFrom(true, false, "when_close"),
        samples:
          mode === "listwise"
            ? fc.integer({ min: 1, max: 2 })
            : fc.constantFrom(1, 1, 2, { min: 1, max: 3, stop: "confidence", confidence: 0.8 }),
      })
      .map((own) => ({ ...given(own), schedule, mode, max_tokens: MAX_TOKENS })),
  );

const budgets = fc.oneof(
  fc.record({ generations: fc.integer({ min: 2, max: 60 }) }),
  fc.record({ tokens: fc.integer({ min: 2000, max: 60_000 }) }),
  fc.record({ ratio: fc.constantFrom(0.05, 0.25, 0.5, 1) }),
);

/** The group's result, and its bounds by `specs/check`; null where it does not suit the spec. */
async function scored(n: number, input: unknown, behaviour: Behaviour): Promise<[GroupResult, GroupCost] | null> {
  const spec = SpecSchema.parse({ judge: input });
  const cost = costOf(compileSpec(spec, n), n).base as GroupCost;
  const rollouts = Array.from({ length: n }, (_, i) => ({ text: program(i) }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print the largest.", rollouts }] });
  const verifier = fakeVerifier(behaving(behaviour));
  const about = { request, spec, started_ms: 0, signal: new AbortController().signal };
  try {
    const { reply } = await scoreBatch({ verifier, clock: fixedClock() }, about);
    return [reply.groups[0] as GroupResult, cost];
  } catch (error) {
    if (error instanceof ApiError && cost.generations_max === null) return null;
    throw error;
  }
}

const pairs = (n: number) => (n * (n - 1)) / 2;

describe("judge.budget", () => {
  it("bounds generations and tokens, in every form and of every schedule, and names a code with every null", async () => {
    const check = async (judge: Record<string, unknown>, n: number, behaviour: Behaviour) => {
      const all = await scored(n, judge, behaviour);
      if (all === null) return;
      const [{ verifier, rollouts }, cost] = all;
      const { generations, tokens, ratio } = judge.budget as { generations?: number; tokens?: number; ratio?: number };
      if (generations !== undefined) expect(verifier.generations).toBeLessThanOrEqual(generations);
      if (tokens !== undefined) expect(verifier.completion_tokens).toBeLessThanOrEqual(tokens);
      if (ratio !== undefined) {
        const { samples, both_orders } = judge as {
          samples: number | { min: number };
          both_orders: unknown;
        };
        const each = (typeof samples === "number" ? samples : samples.min) * (both_orders === true ? 2 : 1);
        expect(verifier.generations).toBeLessThanOrEqual(Math.max(Math.floor(ratio * each * pairs(n)), each * (n - 1)));
      }
      expect(verifier.generations).toBeLessThanOrEqual(cost.generations_max as number);
      expect(verifier.completion_tokens).toBeLessThanOrEqual(cost.completion_tokens_max as number);
      for (const { reward, error } of rollouts) expect(reward === null).toBe(error !== null);
    };
    await fc.assert(fc.asyncProperty(judges(budgets), fc.integer({ min: 1, max: 9 }), behaviours, check), {
      numRuns: 500,
    });
  });

  it("is not needed for what specs/check tells to hold", async () => {
    const check = async (judge: Record<string, unknown>, n: number, behaviour: Behaviour) => {
      const all = await scored(n, judge, behaviour);
      if (all === null) return;
      const [{ verifier }, cost] = all;
      expect(verifier.generations).toBeLessThanOrEqual(cost.generations_max as number);
      expect(verifier.completion_tokens).toBeLessThanOrEqual(cost.completion_tokens_max as number);
    };
    await fc.assert(
      fc.asyncProperty(judges(fc.constant(undefined)), fc.integer({ min: 1, max: 9 }), behaviours, check),
      { numRuns: 400 },
    );
  });

  const mute: Script = () => ({ answer: "Hm.", completion_tokens: MAX_TOKENS });
  const eight = Array.from({ length: 8 }, (_, i) => program(i));

  it.each([0, 1, 3])("of 14 generations brings no more with a judge that is asked again %i times", async (reask) => {
    const spec = { judge: { budget: { generations: 14 }, reask } } as SpecInput;
    const group = await scoreOne(eight, { spec, verifier: fakeVerifier(mute) });
    expect(group.verifier.generations).toBe(14);
  });

  it("of 40,000 tokens brings no more, where every answer takes all of its own", async () => {
    const spec = { judge: { budget: { tokens: 40_000 }, max_tokens: MAX_TOKENS, reask: 3 } } as SpecInput;
    const group = await scoreOne(eight, { spec, verifier: fakeVerifier(mute) });
    expect(group.verifier.completion_tokens).toBe(40_000);
  });

  it("leaves a pair unasked, and nobody without a reward, where it does not pay for asking again", async () => {
    // One answer in ten cannot be read the first time, and all pairs cost the whole budget.
    const noisy: Script = (shown, { sample }) => {
      const values = shown.map(printed);
      if (sample === 0 && ((values[0] as number) + 3 * (values[1] as number)) % 10 === 3) return "Hm.";
      return `\\boxed{${(values[0] as number) > (values[1] as number) ? "A" : "B"}}`;
    };
    const judge = { schedule: "round_robin", budget: { generations: 28 } };
    const group = await scoreOne(eight, { spec: { judge } as SpecInput, verifier: fakeVerifier(noisy) });
    expect(group.status).toBe("ok");
    expect(group.verifier.unparsed).toBeGreaterThan(0);
    expect(group.verifier.generations).toBe(28);
    const unasked = group.rollouts.reduce((sum, one) => sum + (one.unasked ?? 0), 0);
    expect(unasked).toBe(2 * group.verifier.unparsed);
    const more = { judge: { ...judge, budget: { generations: 40 } } } as SpecInput;
    const paid = await scoreOne(eight, { spec: more, verifier: fakeVerifier(noisy) });
    expect(paid.rollouts.every(({ unasked: left }) => left === 0)).toBe(true);
    expect(paid.verifier.generations).toBe(28 + paid.verifier.unparsed);
  });
});
