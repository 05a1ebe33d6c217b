// Guarantees of the lists that `blocks` asks for, and of follow-up questions about one pair. What every schedule
// holds is in test/scoring/tournament-properties.test.ts.

import { describe, expect, it } from "vitest";
import { gradesOf, type Outcome } from "../../../src/core/asking/outcome.ts";
import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import type { Presentation } from "../../../src/core/asking/questions.ts";
import type { JudgeSettings, NamedSchedule } from "../../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { decide, outcomesIn } from "../../../src/core/tournament/decision.ts";
import { isGraded } from "../../../src/core/tournament/pair-questions.ts";
import type { RunSoFar } from "../../../src/core/tournament/presentation-results.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";

/** Graded outcomes, whatever the wire brings them. */
const SOFT = "soft" as "majority";
const keysOf = (n: number) => Array.from({ length: n }, (_, i) => hashText("content", i));

/** A whole contest against a seeded verifier of which a share of the questions fails. */
function played(n: number, more: Partial<JudgeSettings>, seed: number, failing = 0) {
  const judge = { ...DEFAULT_SPEC.judge, ...more };
  const contest = new TournamentRun({ keys: keysOf(n), judge, seed });
  const showings: Presentation[] = [];
  const outcomes: Outcome[] = [];
  const graded = isGraded(judge);
  let waves = 0;
  const decision = (complete: boolean) => decide(n, judge.mode, showings, outcomes, { graded, complete });
  for (;;) {
    const seen: RunSoFar = {
      results: showings.map((showing, question) => {
        const own = outcomes.filter((one) => one.question === question && one.state === "parsed");
        return { presentation: showing, grades: own.map((one) => gradesOf(one, showing.shown)) };
      }),
      outcomes: outcomesIn(decision(false)),
      tokens: 0,
    };
    const wave = contest.next(seen);
    if (wave.length === 0) return { contest, showings, waves, decision: decision(contest.complete) };
    if (++waves > 500) throw new Error("the contest does not end");
    for (const showing of wave) {
      const question = showings.push(showing) - 1;
      const first = firstSampleOf(showing);
      for (let sample = first; sample < first + showing.samples; sample++) {
        const random = createRandom(hashText("verdict", seed, ...showing.shown, sample));
        const chance = random();
        const [a, b] = showing.shown as [number, number];
        if (random() < failing) outcomes.push({ question, state: "failed", winner: null });
        else if (graded) outcomes.push({ question, state: "parsed", winner: null, grades: [chance, 1 - chance] });
        else outcomes.push({ question, state: "parsed", winner: chance < 0.5 ? a : b });
      }
    }
  }
}

const pairOf = ({ shown }: Presentation) => [...shown].sort((a, b) => a - b).join();

describe("blocks", () => {
  const lists = (n: number, settings: object) =>
    played(n, { mode: "listwise", schedule: { name: "blocks", ...settings } as NamedSchedule }, 1).showings.map(
      ({ shown }) => shown,
    );

  it.each([2, 3, 5, 6, 7, 8, 9, 13, 16, 17, 21, 25, 32, 64])(
    "shows every pair of %i candidates, in lists of 2 to 5",
    (n) => {
      for (const size of [2, 3, 4, 5]) {
        const asked = lists(n, { size });
        const times = new Map<string, number>();
        for (const shown of asked) {
          expect(shown.length).toBeGreaterThanOrEqual(Math.min(2, n));
          expect(shown.length).toBeLessThanOrEqual(Math.min(size, LIMITS.list_candidates_max));
          for (const i of shown)
            for (const j of shown) if (i < j) times.set(`${i},${j}`, (times.get(`${i},${j}`) ?? 0) + 1);
        }
        expect(times.size).toBe((n * (n - 1)) / 2);
        // As evenly as it goes: a design shows every pair once, the rest stays near it.
        const least = (n * (n - 1)) / (size * (size - 1));
        expect(asked.length).toBeLessThanOrEqual(Math.ceil(2.2 * least) + 3);
        const isDesign = n === size * size - size + 1 || (n === size * size && size > 2);
        if (isDesign && size > 2)
          expect(
            [...times.values()].every((count) => count === 1),
            `${n} ${size}`,
          ).toBe(true);
      }
    },
  );

  it("covers pairs as often as asked, and stops after so many rounds", () => {
    expect(lists(16, { size: 4, cover: 2 }).length).toBe(40);
    expect(lists(16, { size: 4, rounds: 2 }).length).toBe(8);
    expect(lists(4, {}).length).toBe(1);
  });
});

describe("inside a pair", () => {
  it("asks until the majority is sure, and never more than max", () => {
    const samples = { min: 2, max: 8, stop: "confidence" as const, confidence: 0.95 };
    const { showings } = played(6, { samples }, 2);
    const byPair = new Map<string, number>();
    for (const showing of showings) byPair.set(pairOf(showing), (byPair.get(pairOf(showing)) ?? 0) + showing.samples);
    const counts = [...byPair.values()];
    expect(Math.max(...counts)).toBe(8);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    expect(counts.some((count) => count < 8)).toBe(true);
    // Sample numbers go on where they stopped: no sample is asked twice.
    for (const pair of byPair.keys()) {
      const own = showings.filter((showing) => pairOf(showing) === pair);
      const numbers = own.flatMap(({ purpose, samples: k }) =>
        Array.from({ length: k }, (_, i) => firstSampleOf({ purpose }) + i),
      );
      expect(numbers).toEqual([...numbers.keys()]);
    }
  });

  it("shows the other order of close pairs, and of neighbours in the order", () => {
    const { showings } = played(8, { both_orders: "when_close", vote: SOFT }, 5);
    const orders = new Set(showings.map(({ shown }) => shown.join()));
    const twice = showings.filter(({ shown }) => orders.has([...shown].reverse().join())).length / 2;
    expect(orders.size).toBe(showings.length);
    expect(twice).toBeGreaterThanOrEqual(7);
    expect(twice).toBeLessThan(28);
  });
});
