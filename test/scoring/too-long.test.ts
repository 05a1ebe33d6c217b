// A rollout beyond rollout_text_bytes harms only itself: malformed, never shown, and without a trace in its
// neighbours' values.
import { describe, expect, it, test } from "vitest";
import { withinReach } from "../../src/core/contract/text-bytes.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { byValue, program, rolloutsOf, score } from "./score-setup.ts";

const LIMIT = LIMITS.rollout_text_bytes;
/** 600 kB that end in the best program, or begin with it. */
const late = `${"x".repeat(600_000)}\n${program(9)}`;
const early = `${program(9)}${"x".repeat(600_000)}`;

describe("in a tournament", () => {
  it.each([
    ["at its end", late],
    ["at its beginning", early],
  ])("loses by forfeit whatever stands %s, and the others are rewarded as without it", async (_, long) => {
    const verifier = fakeVerifier(byValue);
    const { reply } = await score([{ rollouts: rolloutsOf([program(1), long, program(2)]) }], { verifier });
    const [group] = reply.groups;
    expect(reply.rewards[0]).toEqual([0.5, -1, 1]);
    expect(group?.status).toBe("ok");
    expect(group?.rollouts[1]).toMatchObject({ too_long: true, format_ok: false, error: null, losses: 2 });
    expect(group?.rollouts[0]).not.toHaveProperty("too_long");
    expect(reply.warnings).toEqual(["too_long"]);
    expect(verifier.jobs.flatMap(({ candidates }) => candidates).every((text) => text.length < 100)).toBe(true);
  });

  it("a head that its client says is one is no candidate, however short", async () => {
    const rollouts = [...rolloutsOf([program(1)]), { text: program(9), too_long: true as const }];
    const { reply } = await score([{ rollouts }]);
    expect(reply.rewards[0]).toEqual([1, -1]);
    expect(reply.groups[0]?.rollouts[1]).toMatchObject({ too_long: true, duplicate_of: null });
  });

  it("a text of exactly the limit is none of these", async () => {
    const text = program(9).padEnd(LIMIT, " ");
    const { reply } = await score([{ rollouts: rolloutsOf([program(1), text]) }]);
    expect(reply.rewards[0]).toEqual([0, 1]);
    expect(reply.warnings).toEqual([]);
  });
});

const boxed = "\\boxed{42}";
const facts = { tests: [{ status: "pass" }], answer: "42", reference_logprobs: [0], self_certainty: 1 };

describe("of each kind that reads it or facts of it", () => {
  test.each<[kind: string, settings: object, lowest: number]>([
    ["reference", {}, 0],
    ["text_similarity", { evaluation_metric: "rouge_1" }, 0],
    ["repetition", { penalty: 2 }, -2],
    ["tests", {}, 0],
    ["logprob", {}, 0],
    ["consensus", { label_free: true, max_steps: 9 }, 0],
    ["consensus", { form: "self_certainty", label_free: true, max_steps: 9 }, 0],
    ["grade", {}, 0],
    ["length", { unit: "characters", max: 1_000_000 }, 0],
  ])("%s gives it the lowest value, %j, with the reason, and asks nobody", async (kind, settings, lowest) => {
    const group = async (...texts: string[]) => {
      const rollouts = texts.map((text) => ({ text, ...facts }));
      const request = RewardsRequestSchema.parse({ step: 1, groups: [{ prompt: "P", reference: "42", rollouts }] });
      const spec = SignalsSpecSchema.parse({ candidate: { extract: "whole" }, signals: { it: { kind, ...settings } } });
      const verifier = fakeVerifier(() => "<answer>yes</answer>");
      const signal = new AbortController().signal;
      const scored = await scoreBatch({ verifier, clock: fixedClock() }, { request, spec, started_ms: 0, signal });
      return {
        rollouts: scored.reply.groups[0]?.rollouts ?? [],
        shown: verifier.jobs.flatMap((job) => job.candidates),
      };
    };
    const long = `${boxed} ${"x".repeat(LIMIT)} ${boxed}`;
    const { rollouts, shown } = await group(long, boxed);
    expect(rollouts[0]).toMatchObject({ components: { it: lowest }, details: { it: { unreadable: "too_long" } } });
    expect(shown.filter((text) => text.length > 100)).toEqual([]);
    // It counts in no mean, share or rank of the others.
    expect(rollouts[1]?.components).toEqual((await group(boxed)).rollouts[0]?.components);
  });

  test("where the spec says that the unreadable has no value, it has none, by its own code", async () => {
    const spec = SignalsSpecSchema.parse({ signals: { it: { kind: "reference", unreadable: "null" } } });
    const rollouts = [{ text: `${boxed}${"x".repeat(LIMIT)}` }, { text: boxed }];
    const request = RewardsRequestSchema.parse({ groups: [{ prompt: "P", reference: "42", rollouts }] });
    const signal = new AbortController().signal;
    const deps = { verifier: fakeVerifier(byValue), clock: fixedClock() };
    const { reply } = await scoreBatch(deps, { request, spec, started_ms: 0, signal });
    expect(reply.groups[0]?.rollouts.map(({ reward, error }) => error ?? reward)).toEqual(["too_long", 1]);
  });
});

test("what is kept of a text is the text, or a head that is too long by its last character alone", () => {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const sign = fc.constantFrom("a", "é", "字", "😀", "\ud800", "\u0000");
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1, maxLength: 5 }), fc.integer({ min: -8, max: 8 }), (signs, more) => {
      const one = signs.join("");
      const text = one.repeat(Math.ceil((LIMIT + more) / bytes(one))) + one;
      const kept = withinReach(text);
      expect(text.startsWith(kept)).toBe(true);
      expect(withinReach(kept)).toBe(kept);
      if (bytes(text) <= LIMIT) expect(kept).toBe(text);
      else {
        expect(bytes(kept)).toBeGreaterThan(LIMIT);
        expect(bytes(kept)).toBeLessThanOrEqual(LIMIT + 4);
      }
    }),
    { numRuns: 25 },
  );
});
