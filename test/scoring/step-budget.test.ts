// Owns `step_budget`: groups of a request draw from one budget, and what each is paid hangs on
// answers alone.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/core/faults/errors.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { AnySpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type FakeVerifier, fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { late, printed, program } from "./score-setup.ts";

const ACTIVE = { schedule: "active", max_tokens: 100 };

/** Prefers the larger value the surer, the further apart the two are; some answers say nothing. */
const noisy =
  (seed: number, mute = 0): Script =>
  (shown, { sample }) => {
    const [a = 0, b = 0] = shown.map(printed);
    const random = createRandom(hashText("step", seed, a, b, sample));
    if (random() < mute) return { answer: "Hm.", completion_tokens: 100 };
    const first = random() < 1 / (1 + Math.exp(b - a));
    return { answer: `\\boxed{${first ? "A" : "B"}}`, completion_tokens: 1 + Math.floor(random() * 100) };
  };

/** The same as probabilities, without noise. */
const soft: Script = (shown) => {
  const [a = 0, b = 0] = shown.map(printed);
  const first = 1 / (1 + Math.exp(b - a));
  const written = first > 0.5 ? "A" : "B";
  return { answer: `\\boxed{${written}}`, soft: { letters: { A: first, B: 1 - first }, coverage: 1, written } };
};

const unhurried = (script: Script, seed: number) => late(fakeVerifier(script), seed, 8);

async function scored(
  groups: readonly (readonly number[])[],
  step_budget: object,
  verifier: FakeVerifier,
  spec: object = {},
) {
  const request = RewardsRequestSchema.parse({
    groups: groups.map((values) => ({
      prompt: `Of ${values.length}: ${values[0]}.`,
      rollouts: values.map((value) => ({ text: program(value) })),
    })),
    step_budget,
  });
  const about = {
    request,
    spec: AnySpecSchema.parse("signals" in spec ? spec : { judge: ACTIVE, ...spec }),
    started_ms: 0,
  };
  const { reply } = await scoreBatch(
    { verifier, clock: fixedClock() },
    { ...about, signal: new AbortController().signal },
  );
  return reply;
}

const spentIn = ({ groups }: Awaited<ReturnType<typeof scored>>, unit: "generations" | "completion_tokens") =>
  groups.map(({ verifier }) => verifier[unit]);
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Groups of different values: close ones, and ones far apart. */
const someGroups = fc.array(
  fc
    .tuple(fc.integer({ min: 2, max: 7 }), fc.constantFrom(0.1, 1, 10), fc.nat(1000))
    .map(([n, apart, from]) => Array.from({ length: n }, (_, i) => 10 * from + i * apart)),
  { minLength: 1, maxLength: 6 },
);

describe("a step's budget", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it.each(["generations", "tokens"] as const)("bounds %s of all groups, whatever is answered", async (unit) => {
    const check = async (groups: number[][], seed: number, mute: number, part: number) => {
      const rings = sum(groups.map(({ length }) => (length === 2 ? 1 : length)));
      const all = sum(groups.map(({ length }) => (length * (length - 1)) / 2));
      const generations = rings + Math.floor(part * all);
      const most = unit === "generations" ? generations : generations * ACTIVE.max_tokens;
      const reply = await scored(groups, { [unit]: most }, fakeVerifier(noisy(seed, mute)));
      expect(sum(spentIn(reply, unit === "tokens" ? "completion_tokens" : unit))).toBeLessThanOrEqual(most);
      for (const { rollouts } of reply.groups) {
        for (const { reward, error } of rollouts) expect(reward === null).toBe(error !== null);
      }
    };
    await fc.assert(fc.asyncProperty(someGroups, fc.nat(), fc.constantFrom(0, 0, 0.2, 1), share, check), {
      numRuns: 60,
    });
  });

  it("is shared by answers alone, whoever is answered first, and in whatever order groups are sent", async () => {
    const check = async (groups: number[][], seed: number, part: number) => {
      const rings = sum(groups.map(({ length }) => (length === 2 ? 1 : length)));
      const budget = { generations: rings + Math.floor(part * 2 * rings) };
      const at_once = await scored(groups, budget, fakeVerifier(noisy(seed)));
      const late = await scored(groups, budget, unhurried(noisy(seed), seed));
      expect(late.rewards).toEqual(at_once.rewards);
      const turned = await scored([...groups].reverse(), budget, unhurried(noisy(seed), seed + 1));
      expect([...turned.rewards].reverse()).toEqual(at_once.rewards);
    };
    await fc.assert(fc.asyncProperty(someGroups, fc.nat(), share, check), { numRuns: 40 });
  });

  it("goes to the group whose order is open, once that of the other is known", async () => {
    const clear = [...Array(8).keys()].map((i) => 10 * i + 1);
    const close = [...Array(8).keys()].map((i) => i / 10 + 7);
    const spec = { judge: { ...ACTIVE, vote: "soft", schedule: { name: "active", sure: 1 } } };
    const reply = await scored([clear, close], { generations: 48 }, fakeVerifier(soft), spec);
    // By 20 of 28 pairs the first is decided; an even split would ask 24 of each.
    expect(spentIn(reply, "generations")).toEqual([20, 28]);
  });

  it("tells `spec_hash`, since the rewards hang on it", async () => {
    const hashOf = async (generations: number) =>
      (await scored([[1, 2, 3]], { generations }, fakeVerifier(noisy(1)))).spec_hash;
    expect(await hashOf(5)).not.toBe(await hashOf(6));
  });

  it.each([
    ["which knows what an answer", { judge: { schedule: "round_robin" } }],
    [
      "a budget counts the judge alone",
      {
        signals: { t: { kind: "tournament", schedule: "active", judge: { samples: 4, filter: { top: 2 } } } },
        reward: "t",
      },
    ],
    ["takes the place of judge.budget", { judge: { ...ACTIVE, budget: { generations: 9 } } }],
    [
      "one signal asks a verifier",
      { signals: { a: { kind: "grade" }, b: { kind: "tournament", schedule: "active" } }, reward: "a + b" },
    ],
    [
      "must have no when",
      {
        signals: { f: { kind: "format" }, t: { kind: "tournament", schedule: "active", when: "f == 0" } },
        reward: "t",
      },
    ],
  ])("is refused by its field: %s", async (words, spec) => {
    const one = scored([[1, 2, 3]], { generations: 9 }, fakeVerifier(noisy(1)), spec);
    const fault = await one.catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(ApiError);
    expect(fault).toMatchObject({ code: "invalid_request", errors: [{ path: "step_budget" }] });
    expect((fault as ApiError).message).toContain(words);
  });

  it("is refused, before anybody is asked, where it does not pay the first comparisons of all", async () => {
    const verifier = fakeVerifier(noisy(1));
    const one = scored(
      [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
      ],
      { generations: 7 },
      verifier,
    );
    await expect(one).rejects.toThrow("step_budget.generations: 7; the first comparisons of 2 groups may take 8");
    expect(verifier.calls ?? []).toEqual([]);
  });
});
