// Owns what a judge that is asked first may do: settle what is clear to it, and nothing else; what
// it leaves open the judge proper decides, and no failure of either is a number.

import { describe, expect, it } from "vitest";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { costOf } from "../../src/core/reward/cost.ts";
import { SpecSchema } from "../../src/core/reward/flat-spec.ts";
import { AnySpecSchema } from "../../src/core/reward/signals-spec.ts";
import { rehearsalWork } from "../../src/core/tournament/forecast.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import { specHash } from "../../src/scoring/digest.ts";
import { type FakeVerifier, fakeVerifier, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { byValue, late, printed, program, rolloutsOf, score, scoreOne } from "./score-setup.ts";

type FirstSettings = Record<string, unknown>;
type FirstWord = number | "unread" | "failed";

const specOf = (first: FirstSettings = {}, judge: Record<string, unknown> = {}, more: object = {}) =>
  ({ judge: { first, ...judge }, ...more }) as never;

const soft = (a: number): Partial<Generation> => ({
  ...{ answer: a >= 0.5 ? "A" : "B", model: "small", completion_tokens: 1 },
  soft: { letters: { A: a, B: 1 - a }, coverage: 1, written: a >= 0.5 ? "A" : "B" },
});

/** What the judge asked first says for the better of two, and what the judge proper says. */
const judges = (wordOf: (shown: readonly string[]) => FirstWord, own: Script = byValue): FakeVerifier =>
  fakeVerifier((shown, about) => {
    if (about.job.by !== "first") return own(shown, about);
    const word = wordOf(shown);
    if (word === "failed") return { error: "verifier_unavailable" };
    return word === "unread" ? { answer: "Hm.", soft: null } : soft(word);
  });

/** As sure of the better as said, whatever the order shown. */
const sureBy = (p: number) => (shown: readonly string[]) =>
  printed(shown[0] as string) > printed(shown[1] as string) ? p : 1 - p;

const texts = (n: number) => Array.from({ length: n }, (_, i) => program(i));

const askedOf = ({ jobs }: FakeVerifier, by?: "first") =>
  jobs.flatMap((job) => (job.by === by ? job.questions.map(({ shown }) => shown.map((i) => job.candidates[i])) : []));

describe("judge.first", () => {
  it("settles what is clear to it: the judge is asked nothing, and the reply tells how much that saved", async () => {
    const verifier = judges(sureBy(0.9));
    const { win_counts, rollouts, verifier: use } = await scoreOne(texts(4), { spec: specOf(), verifier });
    expect(win_counts).toEqual([0, 1, 2, 3]);
    expect(rollouts.map(({ reward }) => reward)).toEqual([0, 1 / 3, 2 / 3, 1]);
    expect(askedOf(verifier, "first")).toHaveLength(6);
    expect(askedOf(verifier)).toEqual([]);
    expect(use).toMatchObject({ generations: 6, why: { first: 6 }, completion_tokens: 6 });
  });

  it("is asked in its own words, by its own model, votes, tokens and fields, and the judge in the judge's", async () => {
    const first = { model: "small", max_tokens: 4, extra: { reasoning_effort: "none" } };
    const verifier = { ...judges(sureBy(0.6), () => "[[A]]"), extra: ["reasoning_effort", "seed_text"] };
    const own = { model: "large", preset: "mtbench-ab", max_tokens: 99, temperature: 0.3, extra: { seed_text: "x" } };
    await scoreOne(texts(2), { spec: specOf(first, own), verifier });
    const [proper, before] = verifier.calls;
    expect(before).toMatchObject({ model: "small", max_tokens: 4, soft: true, temperature: 0.3, extra: first.extra });
    expect(proper).toMatchObject({ model: "large", max_tokens: 99, temperature: 0.3, extra: { seed_text: "x" } });
    expect(proper).not.toHaveProperty("soft");
    expect(verifier.jobs.map(({ by, preset }) => [by, preset])).toEqual([
      ["first", "letter-select"],
      [undefined, "mtbench-ab"],
    ]);
  });

  it.each<[string, FirstWord[], FirstSettings, boolean]>([
    ["clear", [0.81], {}, false],
    ["clear for the other", [0.19], {}, false],
    ["at the bound", [0.8], {}, true],
    ["at the other bound", [0.2], {}, true],
    ["even", [0.5], { close: [0.5, 0.5] }, true],
    ["beyond bounds of its own", [0.71], { close: [0.3, 0.7] }, false],
    ["never clear enough", [1], { close: [0, 1] }, true],
    ["unread", ["unread"], {}, true],
    ["failed", ["failed"], {}, true],
    ["clear in both orders", [0.9, 0.95], {}, false],
    ["close on average", [0.9, 0.6], {}, true],
    ["clear on average, with orders that disagree", [0.99, 0.45], { close: [0.4, 0.6] }, true],
    ["unread in one order", [0.99, "unread"], {}, true],
    ["failed in one order", [0.99, "failed"], {}, true],
    ["of one mind by votes", [0.6, 0.7], { vote: "majority" }, false],
    ["of two minds by votes", [0.6, 0.4], { vote: "majority" }, true],
  ])("%s: what goes to the judge is told by its words alone", async (_, words, first, asksJudge) => {
    // The first word is for the one, shown first, and the second for the same one, shown second.
    const [one, two] = words as [FirstWord, FirstWord?];
    const wordOf = (shown: readonly string[]) => {
      const word = printed(shown[0] as string) === 1 ? one : (two ?? one);
      return typeof word === "number" && printed(shown[0] as string) !== 1 ? 1 - word : word;
    };
    const verifier = judges(wordOf);
    const group = await scoreOne(texts(2), { spec: specOf(first, { both_orders: words.length === 2 }), verifier });
    expect(askedOf(verifier, "first")).toHaveLength(words.length);
    expect(askedOf(verifier)).toHaveLength(asksJudge ? words.length : 0);
    expect(group.status).toBe("ok");
    if (asksJudge) expect(group.win_counts).toEqual([0, 1]);
  });

  it.each<[FirstWord, number, string | null]>([
    ["unread", 4, "6 of 6"],
    ["unread", 3, null],
    ["failed", 4, null],
    [0.9, 4, null],
  ])("%s among %i: that its answers cannot be read is told of enough of them", async (word, n, told) => {
    const { reply } = await score([{ rollouts: rolloutsOf(texts(n)) }], {
      spec: specOf(),
      verifier: judges(() => word),
    });
    const warned = reply.warnings.filter((warning) => warning.startsWith("first_unread"));
    expect(warned).toEqual(told === null ? [] : [expect.stringContaining(told)]);
  });

  it.each([
    ["replace", 0.3, [0.7, 0.3]],
    ["mean", 0.3, [0.55, 0.45]],
  ])("%s: the verdicts of both come to the reward that its name says", async (combine, own, expected) => {
    const proper: Script = (shown) => ({ ...soft(sureBy(own)(shown)), model: "large" });
    const spec = specOf({ combine }, { vote: "soft", preset: "letter-select" }, { reward: "soft" });
    const { rollouts } = await scoreOne(texts(2), { spec, verifier: judges(sureBy(0.6), proper) });
    rollouts.forEach(({ reward }, r) => {
      expect(reward).toBeCloseTo(expected[r] as number, 5);
    });
  });

  it("counts each judge's verdicts together as much as the other's in a mean, however many they are", async () => {
    // Three votes of four for the weaker: -0.5. The first for the better by 0.3 on either side: 0.6.
    const proper: Script = (shown, { sample }) => {
      const better = printed(shown[0] as string) > printed(shown[1] as string) ? "A" : "B";
      return `\\boxed{${sample % 4 === 0 ? better : better === "A" ? "B" : "A"}}`;
    };
    const told = async (combine: string) => {
      const spec = specOf({ combine }, { samples: 4, both_orders: true });
      return (await scoreOne(texts(2), { spec, verifier: judges(sureBy(0.8), proper) })).win_counts;
    };
    expect(await told("mean")).toEqual([0, 1]);
    expect(await told("replace")).toEqual([1, 0]);
  });

  it.each(["replace", "mean"])(
    "%s: a judge that fails or cannot be read leaves a pair undecided, whatever was said first",
    async (combine) => {
      for (const said of [{ error: "verifier_unavailable" as const }, "Hm."]) {
        const verifier = judges(sureBy(0.7), () => said);
        const { rollouts, status } = await scoreOne(texts(3), { spec: specOf({ combine }), verifier });
        expect(status).toBe("failed");
        const code = typeof said === "string" ? "unparsed" : "verifier_unavailable";
        for (const { reward, error, undecided } of rollouts) {
          expect({ reward, error, undecided }).toEqual({ reward: null, error: code, undecided: 2 });
        }
      }
    },
  );

  it("costs nobody a reward where it fails altogether, nor is anybody blamed for what it cannot read", async () => {
    const plain = await scoreOne(texts(5), { verifier: fakeVerifier(byValue) });
    for (const word of ["failed", "unread"] as const) {
      const group = await scoreOne(texts(5), { spec: specOf(), verifier: judges(() => word) });
      expect(group.rollouts.map(({ reward, jams_judge }) => [reward, jams_judge])).toEqual(
        plain.rollouts.map(({ reward }) => [reward, false]),
      );
    }
    const shown = (text: string) => (words: readonly string[]) =>
      words.includes(text) ? "unread" : sureBy(0.9)(words);
    const one = (await scoreOne(texts(6), { spec: specOf(), verifier: judges(shown("print(2)")) })).rollouts;
    expect(one.map(({ jams_judge, unparsed }) => [jams_judge, unparsed])).toEqual(one.map(() => [false, 0]));
  });

  it("finds as ever whoever keeps the judge proper from answering", async () => {
    const jams: Script = (shown, about) => (shown.includes("print(2)") ? "Hm." : byValue(shown, about));
    const { rollouts } = await scoreOne(texts(8), { spec: specOf(), verifier: judges(() => 0.5, jams) });
    expect(rollouts.map(({ jams_judge }) => jams_judge)).toEqual(texts(8).map((_, i) => i === 2));
  });

  it("leaves unasked what the deadline came before, though a first word on it was there, where a part is enough", async () => {
    let left = 3;
    const late: Script = (shown, about) => (left-- > 0 ? byValue(shown, about) : { error: "deadline" });
    const spec = specOf({}, { min_decided: 0.01 });
    const { rollouts, verifier: use } = await scoreOne(texts(4), { spec, verifier: judges(() => 0.5, late) });
    for (const { wins, losses, ties, undecided, unasked = 0 } of rollouts) {
      expect(wins + losses + ties + undecided + unasked).toBe(3);
      expect([ties, undecided]).toEqual([0, 0]);
    }
    expect(rollouts.reduce((sum, { unasked = 0 }) => sum + unasked, 0)).toBe(6);
    expect(use.why).toMatchObject({ deadline: 3, first: 0 });
  });

  it("keeps one model of each judge under strict_model, and warns of no mixture that the spec itself names", async () => {
    const own: Script = (shown, about) => ({ answer: byValue(shown, about) as string, model: "large" });
    const wordOf = (shown: readonly string[]) => sureBy(shown.includes("print(0)") ? 0.9 : 0.6)(shown);
    const spec = specOf({ model: "small" }, { strict_model: true });
    const { reply, entry } = await score([{ rollouts: rolloutsOf(texts(4)) }], { spec, verifier: judges(wordOf, own) });
    expect(reply.warnings).toEqual([]);
    expect(reply.groups[0]?.verifier).toMatchObject({ models: ["large", "small"], failed: 0 });
    const verdicts = entry.groups[0]?.verdicts ?? [];
    expect(verdicts.filter(({ model }) => model === "small").map(({ verdict }) => verdict?.kind)).toEqual(
      Array.from({ length: 6 }, () => "distribution"),
    );
    expect(verdicts.filter(({ model }) => model === "large").map(({ order }) => order)).toHaveLength(3);
  });

  it("gives the same rewards for the same verdicts, whatever order they arrive in, with every schedule it goes with", async () => {
    const word = (seed: number) => (shown: readonly string[]) => {
      const random = createRandom(hashText("first", seed, ...shown));
      const chance = random();
      return chance < 0.1 ? "unread" : chance < 0.2 ? "failed" : random();
    };
    const own =
      (seed: number): Script =>
      (shown, { sample }) => {
        const random = createRandom(hashText("own", seed, sample, ...shown));
        const chance = random();
        if (chance < 0.1) return "Hm.";
        if (chance < 0.2) return { error: "verifier_unavailable" };
        return `\\boxed{${random() < 0.5 ? "A" : "B"}}`;
      };
    const check = async (judge: Record<string, unknown>, first: FirstSettings, n: number, seed: number) => {
      const told = async (order: number | null) => {
        const verifier = judges(word(seed), own(seed));
        const group = await scoreOne(texts(n), {
          spec: specOf(first, judge),
          verifier: order === null ? verifier : late(verifier, order, 3),
        });
        const { latency_ms: _, ...use } = group.verifier;
        return { ...group, verifier: use };
      };
      const [plain, shuffledOnce, again] = [await told(null), await told(seed), await told(seed + 1)];
      expect(shuffledOnce).toEqual(plain);
      expect(again).toEqual(plain);
    };
    const judge = fc.record({
      schedule: fc.constantFrom(
        ...[
          "round_robin",
          "swiss",
          "knockout",
          "pivot",
          "anchored",
          "active",
          "winner",
          { name: "circular", degree: 2 },
        ],
      ),
      both_orders: fc.boolean(),
      samples: fc.constantFrom(1, 3, { min: 1, max: 3, stop: "confidence", confidence: 0.8 }),
      reask: fc.constantFrom(0, 1),
    });
    const first = fc.record({
      combine: fc.constantFrom("replace", "mean"),
      close: fc.constantFrom([0.2, 0.8], [0.4, 0.6], [0, 1]),
    });
    await fc.assert(fc.asyncProperty(judge, first, fc.integer({ min: 2, max: 7 }), fc.nat({ max: 1e6 }), check), {
      numRuns: 150,
    });
  });

  it("is refused beside what it does not go with, by the field", () => {
    const refused = (judge: Record<string, unknown>, more: object = {}) =>
      SpecSchema.safeParse({ judge: { first: {}, ...judge }, ...more }).error?.issues.map(({ path }) => path.join("."));
    expect(refused({})).toBeUndefined();
    expect(refused({ mode: "listwise" })).toEqual(["judge.first"]);
    expect(refused({ both_orders: "when_close" })).toEqual(["judge.both_orders"]);
    expect(refused({ budget: { ratio: 0.5 } })).toEqual(["judge.budget"]);
    expect(refused({ schedule: "auto" })).toEqual(["judge.schedule"]);
    expect(refused({ schedule: { name: "active", again: true } })).toEqual(["judge.schedule"]);
    expect(refused({ first: { vote: "majority" } })).toEqual(["judge.first.vote"]);
    expect(refused({ first: { preset: "ruler" } })).toEqual(["judge.first.vote"]);
    expect(refused({ form: "scores" }, { reward: "mean_score" })).toEqual(["reward"]);
    for (const close of [[0.3, 0.8], [0.8, 0.2], [-0.1, 1.1], [0.5]]) {
      expect(refused({ first: { close } })?.[0]).toMatch(/^judge\.first\.close/);
    }
    expect(AnySpecSchema.safeParse({ judge: { think: {} } }).error?.issues[0]?.message).toMatch(/think/);
  });

  it("is in the spec's hash, with the words that it asks in, and only where a spec has it", async () => {
    const hash = (judge: object) => specHash(SpecSchema.parse({ judge }));
    const hashes = await Promise.all([
      hash({}),
      hash({ first: {} }),
      hash({ first: { preset: "mtbench-ab" } }),
      hash({ first: { close: [0.3, 0.7] } }),
      hash({ first: { combine: "mean" } }),
    ]);
    expect(new Set(hashes).size).toBe(5);
    expect(await hash({ first: { vote: "soft", max_tokens: 8, close: [0.2, 0.8], combine: "replace" } })).toBe(
      hashes[1],
    );
    await expect(hash({ first: { preset: "no-such" } })).rejects.toMatchObject({
      errors: [{ path: "spec.judge.first.preset" }],
    });
  });

  it("costs a range: from every pair settled to every pair left open, each judge's tokens by its own bound", () => {
    const spec = SpecSchema.parse({
      judge: { first: { max_tokens: 10 }, max_tokens: 1000, reask: 0, both_orders: true },
    });
    const playing = costOf(compileSpec(spec, 8), 8, rehearsalWork());
    let step = playing.next();
    while (step.done !== true) step = playing.next();
    const cost = step.value.base;
    const aside = 5 * 8 + 19;
    expect(cost).toMatchObject({
      ...{ generations: 56, completion_tokens: 560 },
      ...{ generations_max: 112 + aside, completion_tokens_max: 560 + (56 + aside) * 1000 },
    });
    expect(cost?.generations_expected).toBeGreaterThan(56);
    expect(cost?.generations_expected).toBeLessThan(112);
    const expected = (cost?.generations_expected as number) - 56;
    expect(cost?.completion_tokens_expected).toBe(560 + expected * 1000);
  });

  it("is refused whole where all pairs left open would be too many for the request", async () => {
    const four = Array.from({ length: 4 }, () => ({ rollouts: rolloutsOf(texts(8)) }));
    const few = (generations_max: number) =>
      score(
        four.map((group, g) => ({ ...group, prompt: `Task ${g}` })),
        { spec: specOf(), verifier: { ...judges(() => 0.5), generations_max } },
      );
    await expect(few(223)).rejects.toMatchObject({ code: "too_many_generations" });
    const { reply } = await few(224);
    for (const { win_counts } of reply.groups) expect(win_counts).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("is refused by a deployment that has no model to ask in words", async () => {
    const verifier = { ...judges(sureBy(0.9)), takes: ["scalar" as const] };
    await expect(scoreOne(texts(2), { spec: specOf(), verifier })).rejects.toMatchObject({ code: "not_configured" });
  });
});
