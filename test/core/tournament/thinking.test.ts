// Owns what `judge.think` guarantees of a contest, whatever the schedule and the answers: nothing is
// asked a third time, a budget counts both askings, and what has no verdict is asked again.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SPEC, type Spec } from "../../../src/core/contract/spec.ts";
import { isShort, type Showing } from "../../../src/core/judges/questions.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { furtherShowings } from "../../../src/core/tournament/asking-pairs.ts";
import { Contest } from "../../../src/core/tournament/contest.ts";
import { forecastOf } from "../../../src/core/tournament/forecast.ts";
import { type AnswersTo, rehearsed, type Told } from "../../../src/core/tournament/rehearsal.ts";
import { SCHEDULES } from "../../../src/core/tournament/schedules/table.ts";

const [FIRST, THEN] = [100, 1000];
const judgeOf = (more: Partial<Spec["judge"]> = {}): Spec["judge"] => ({
  ...DEFAULT_SPEC.judge,
  max_tokens: THEN,
  think: { first: FIRST, then: THEN },
  ...more,
});
const keysOf = (n: number) => Array.from({ length: n }, (_, i) => hashText("content", i));

/** Answers by the order shown and the sample's number; a share is longer than FIRST, some fail. */
const answersBy =
  (seed: number, cut: number, failing: number, graded = false): AnswersTo =>
  ({ shown, samples, first_sample = 0, max_tokens = THEN }) =>
    Array.from({ length: samples }, (_, k): Told => {
      const random = createRandom(hashText("answer", seed, ...shown, first_sample + k));
      const chance = random();
      const tokens = random() < cut ? FIRST + 1 + Math.floor(random() * (THEN - FIRST)) : 1 + Math.floor(random() * 99);
      if (random() < failing) return { state: "failed", winner: null };
      if (tokens > max_tokens) return { state: "unparsed", winner: null, cut: true, tokens: max_tokens };
      const winner = shown[chance < 0.5 ? 0 : 1] as number;
      return { state: "parsed", winner, tokens, ...(graded && { grades: [chance, 1 - chance] }) };
    });

const pairOf = ({ shown }: Showing) => [...shown].sort((a, b) => a - b).join();
const PAIRWISE = Object.entries(SCHEDULES).flatMap(([name, { mode }]) => (mode === "pairwise" ? [name] : []));
const MANNERS: readonly Partial<Spec["judge"]>[] = [
  {},
  { both_orders: true },
  { both_orders: "when_close" },
  { samples: 3, both_orders: true },
  { samples: { min: 1, max: 4, stop: "confidence", confidence: 0.8 } },
  { samples: { min: 2, max: 3, stop: "confidence", confidence: 0.9 }, both_orders: "when_close" },
  { vote: "soft" },
  { vote: "soft", both_orders: "when_close" },
];

describe.each(PAIRWISE)("%s", (name) => {
  it("asks no sample twice alike, each one twice at most, and again only where it may", () => {
    const rounds = [fc.integer({ min: 2, max: 9 }), fc.constantFrom(...MANNERS), fc.nat()] as const;
    fc.assert(
      fc.property(...rounds, fc.constantFrom(0, 0.5, 1), fc.constantFrom(0, 0.3), (n, manner, seed, cut, failing) => {
        const judge = judgeOf({ schedule: name, ...manner });
        const begin = () => new Contest({ keys: keysOf(n), judge, seed });
        const { waves, decision } = rehearsed(begin(), n, answersBy(seed, cut, failing, manner.vote === "soft"));
        const asked = waves.flat();
        const samples = asked.flatMap((one) =>
          Array.from(
            { length: one.samples },
            (_, k) => `${one.shown} ${(one.first_sample ?? 0) + k} ${one.max_tokens ?? THEN}`,
          ),
        );
        expect(new Set(samples).size).toBe(samples.length);
        const count = (showings: readonly Showing[]) => showings.reduce((sum, one) => sum + one.samples, 0);
        const short = asked.filter(isShort);
        const longer = asked.filter((one) => one.longer === true);
        expect(short.length + longer.length).toBe(asked.length);
        for (const pair of new Set(asked.map(pairOf))) {
          const of = (list: readonly Showing[]) => count(list.filter((one) => pairOf(one) === pair));
          expect(of(longer)).toBeLessThanOrEqual(of(short));
        }
        // A pair of which all first answers were cut has been asked again, and so has a verdict.
        if (failing === 0) expect(decision.pairs.flat()).not.toContain("undecided");
        const { most } = forecastOf(begin, n);
        expect(count(asked)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 40 },
    );
  });

  it("keeps to a budget of both askings, and leaves no pair that it began without a verdict", () => {
    const budgets = fc.record({ share: fc.double({ min: 1, max: 3, noNaN: true }), tokens: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }),
        fc.constantFrom(...MANNERS),
        budgets,
        fc.nat(),
        (n, manner, { share, tokens }, seed) => {
          const { samples = 1, both_orders = false } = manner;
          const first = (typeof samples === "number" ? samples : samples.min) * (both_orders === true ? 2 : 1);
          const least = (n - 1) * first;
          const most = Math.floor(share * least * (tokens ? FIRST + THEN : 2));
          const judge = judgeOf({
            schedule: name,
            ...manner,
            budget: tokens ? { tokens: most } : { generations: most },
          });
          const contest = new Contest({ keys: keysOf(n), judge, seed });
          const played = rehearsed(contest, n, answersBy(seed, 0.6, 0, manner.vote === "soft"));
          const spent = tokens ? played.tokens : played.outcomes.length;
          expect(spent).toBeLessThanOrEqual(most);
          expect(played.decision.pairs.flat()).not.toContain("undecided");
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a list", () => {
  it("is asked again where no sample of it has a verdict, under the same numbers, and never for being close", () => {
    const judge = judgeOf({ mode: "listwise", schedule: "single_list", samples: 2 });
    const listed = (cut: number) => {
      const contest = new Contest({ keys: keysOf(4), judge, seed: 3 });
      return rehearsed(contest, 4, answersBy(1, cut, 0)).waves;
    };
    expect(listed(0).length).toBe(1);
    const [first = [], again = []] = listed(1);
    expect(first.map(({ max_tokens }) => max_tokens)).toEqual([FIRST, FIRST]);
    expect(again).toEqual(
      first.map(({ max_tokens: _, ...one }) => ({
        ...one,
        first_sample: undefined,
        longer: true,
        ...(one.first_sample ? { first_sample: one.first_sample } : {}),
      })),
    );
  });
});

describe("what is asked again", () => {
  const short = (shown: number[], samples = 1): Showing => ({ shown, samples, max_tokens: FIRST });
  const A = [1, 0];
  const B = [0, 1];

  it("is each cut answer under its own number, and each that ended by itself under a new one", () => {
    const answered = [
      {
        showing: short([0, 1], 5),
        grades: [],
        unread: [
          { sample: 0, cut: true },
          { sample: 1, cut: true },
          { sample: 2, cut: false },
          { sample: 4, cut: true },
        ],
      },
    ];
    expect(furtherShowings(answered, judgeOf({ samples: 5 }))).toEqual([
      { shown: [0, 1], samples: 2, longer: true },
      { shown: [0, 1], samples: 1, first_sample: 4, longer: true },
      { shown: [0, 1], samples: 1, first_sample: 514, longer: true },
    ]);
  });

  it("is nothing where votes agree, though one was cut", () => {
    const answered = [
      { showing: short([0, 1]), grades: [A] },
      { showing: short([1, 0]), grades: [], unread: [{ sample: 0, cut: true }] },
    ];
    expect(furtherShowings(answered, judgeOf({ both_orders: true }))).toEqual([]);
  });

  it("is both orders anew where they contradict each other, and then no more", () => {
    const close = [
      { showing: short([0, 1]), grades: [A] },
      { showing: short([1, 0]), grades: [A] },
    ];
    const judge = judgeOf({ both_orders: true });
    const again = furtherShowings(close, judge);
    expect(again).toEqual([
      { shown: [0, 1], samples: 1, first_sample: 512, longer: true },
      { shown: [1, 0], samples: 1, first_sample: 512, longer: true },
    ]);
    const told = [...close, ...again.map((showing) => ({ showing, grades: [A] }))];
    expect(furtherShowings(told, judge)).toEqual([]);
  });

  it("comes before the other order of a close pair, which is asked with few tokens first too", () => {
    const judge = judgeOf({ vote: "soft", both_orders: "when_close" });
    const even = [0.5, 0.5];
    const first = { showing: short([0, 1]), grades: [even] };
    const again = furtherShowings([first], judge);
    expect(again).toEqual([{ shown: [0, 1], samples: 1, first_sample: 512, longer: true }]);
    const second = { showing: again[0] as Showing, grades: [even] };
    expect(furtherShowings([first, second], judge)).toEqual([short([1, 0])]);
  });

  it("is as few as could make a majority sure, once the samples with few tokens are spent", () => {
    const judge = judgeOf({ samples: { min: 2, max: 4, stop: "confidence", confidence: 0.9 } });
    const more = furtherShowings([{ showing: short([0, 1], 2), grades: [A, B] }], judge);
    expect(more).toEqual([{ ...short([0, 1], 2), first_sample: 2 }]);
    const spent = [
      { showing: short([0, 1], 2), grades: [A, B] },
      { showing: more[0] as Showing, grades: [A, A] },
    ];
    // 3 : 1 is sure to 0.81, 4 : 1 to 0.89, 5 : 1 to 0.94.
    expect(furtherShowings(spent, judge)).toEqual([{ shown: [0, 1], samples: 2, first_sample: 512, longer: true }]);
  });
});
