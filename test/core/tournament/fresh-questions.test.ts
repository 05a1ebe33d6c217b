// Defines what the questions of one contest are to each other: none is asked twice under the same sample
// number in the same order, whatever the schedule and the judge.

import { describe, expect, it } from "vitest";
import { playRun, type SampleOutcome } from "../../../lab/study/played-run.ts";
import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import type { Presentation } from "../../../src/core/asking/questions.ts";
import type { JudgeSettings, NamedSchedule } from "../../../src/core/contract/judge-settings.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { isGraded } from "../../../src/core/tournament/pair-questions.ts";
import { SCHEDULES } from "../../../src/core/tournament/schedules/table.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";
import fc from "../../harness/property.ts";

const keysOf = (n: number) => Array.from({ length: n }, (_, i) => hashText("content", i));
const NAMES = Object.entries(SCHEDULES);
const SETTINGS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  blocks: fc.record({
    size: fc.integer({ min: 2, max: 5 }),
    cover: fc.integer({ min: 1, max: 5 }),
    rounds: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  }),
  circular: fc.record({ degree: fc.integer({ min: 1, max: 4 }) }),
  pivot: fc.record({ pivots: fc.integer({ min: 1, max: 4 }) }),
  swiss: fc.record({ rounds: fc.integer({ min: 1, max: 8 }) }),
};

const given = (all: object) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));

/** Every way to ask that a spec may name. */
const judges: fc.Arbitrary<JudgeSettings> = fc.constantFrom(...NAMES).chain(([name, { mode }]) =>
  fc
    .record({
      schedule: (SETTINGS[name] ?? fc.constant({})).map((own) => ({ name, ...given(own) }) as NamedSchedule),
      both_orders: mode === "listwise" ? fc.boolean() : fc.constantFrom(true, false, "when_close" as const),
      samples:
        mode === "listwise"
          ? fc.integer({ min: 1, max: 4 })
          : fc.oneof(
              fc.integer({ min: 1, max: 4 }),
              fc.constant({ min: 1, max: 5, stop: "confidence" as const, confidence: 0.9 }),
            ),
      vote:
        mode === "listwise" ? fc.constant("majority" as const) : fc.constantFrom("majority" as const, "soft" as const),
    })
    .map((own) => ({ ...DEFAULT_SPEC.judge, mode, max_tokens: 100, ...given(own) }) as JudgeSettings),
);

/** Every sample that was asked, as the engine would know it again. */
const samplesIn = (waves: readonly (readonly Presentation[])[]): string[] =>
  waves
    .flat()
    .flatMap(({ shown, samples, purpose }) =>
      Array.from({ length: samples }, (_, k) => `${shown.join()}:${firstSampleOf({ purpose }) + k}`),
    );

function answers(seed: number, graded: boolean, unread: number) {
  return ({ shown, samples, purpose }: Presentation): SampleOutcome[] =>
    Array.from({ length: samples }, (_, k): SampleOutcome => {
      const random = createRandom(hashText("fresh", seed, ...shown, firstSampleOf({ purpose }) + k));
      if (random() < unread) return { state: "unparsed", winner: null };
      const winner = shown[Math.floor(random() * shown.length)] as number;
      return { state: "parsed", winner, ...(graded && { grades: shown.map(() => random()) }) };
    });
}

describe("the questions of a contest", () => {
  it("are no two alike in the order shown and the sample's number, whatever is asked how", () => {
    fc.assert(
      fc.property(
        judges,
        fc.integer({ min: 2, max: 14 }),
        fc.nat(),
        fc.constantFrom(0, 0.3, 1),
        (judge, n, seed, unread) => {
          const size =
            judge.schedule === "single_list" || (judge.schedule as { name?: string }).name === "single_list"
              ? Math.min(n, 5)
              : n;
          const contest = new TournamentRun({ keys: keysOf(size), judge, seed });
          const samples = samplesIn(playRun(contest, size, answers(seed, isGraded(judge), unread)).waves);
          expect(new Set(samples).size).toBe(samples.length);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("shows a list again under fresh numbers and in other orders, where a cover asks for it again", () => {
    const schedule = { name: "blocks", cover: 3 } as NamedSchedule;
    const judge = { ...DEFAULT_SPEC.judge, mode: "listwise" as const, schedule, samples: 2 };
    const [wave = []] = playRun(new TournamentRun({ keys: keysOf(5), judge, seed: 1 }), 5, answers(1, false, 0)).waves;
    expect(wave.map(firstSampleOf)).toEqual([0, 1, 1024, 1025, 2048, 2049]);
    expect(new Set(wave.map(({ shown }) => shown.join())).size).toBeGreaterThan(4);
  });
});
