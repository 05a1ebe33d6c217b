// Owns the bound on what a spec's cost takes to find out: whatever the schedule, its options and the
// group's size, a rehearsal ends within its steps, and the CPU of one turn is bounded.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { AnySpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { forecastOf, rehearsalWork } from "../../../src/core/tournament/forecast.ts";
import { SCHEDULES } from "../../../src/core/tournament/schedules/table.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";
import { cpuMs } from "../../harness/cpu-time.ts";

/** Steps of one wave at most: the largest group, every pair asked as often as may be, both orders. */
const WAVE_MOST = 64 ** 3 + 20 * 64 ** 2 + 40 * 2016 * 2 * LIMITS.samples_max;
/** A step is some 20 ns; beyond that by this factor it is not counted as what it is. */
const SLOWER_MOST = 10;
const MS_A_STEP = 20e-6;

const NAMES = Object.entries(SCHEDULES).flatMap(([name, { mode }]) => (mode === "pairwise" ? [name] : []));
/** Settings under which schedules that may end early never do, beside their defaults. */
const SETTINGS: readonly object[] = [
  {},
  { sure: 1 },
  { sure: 1, again: true },
  { order_confidence: 1 },
  { rounds: 63 },
  { pivots: 64 },
];
const WAYS: readonly object[] = [
  {},
  { vote: "soft" },
  { samples: { min: 1, max: LIMITS.samples_max, stop: "confidence", confidence: 0.99 } },
  { samples: { min: 1, max: LIMITS.samples_max, stop: "confidence", confidence: 0.99 }, both_orders: true },
  { both_orders: "when_close" },
  { budget: { generations: 3000 } },
  { budget: { generations: 30_000 }, vote: "soft" },
];

interface Case {
  name: string;
  judge: unknown;
}

function casesOf(): Case[] {
  return NAMES.flatMap((name) =>
    SETTINGS.flatMap((settings) =>
      WAYS.flatMap((way): Case[] => {
        const read = AnySpecSchema.safeParse({ judge: { max_tokens: 1000, ...way, schedule: { name, ...settings } } });
        if (!read.success) return [];
        return [
          { name: JSON.stringify({ name, ...settings, ...way }), judge: (read.data as { judge: unknown }).judge },
        ];
      }),
    ),
  );
}

describe("what a spec's cost takes to find out", () => {
  const cases = casesOf();

  it("has every schedule of pairs among its cases", () => {
    for (const name of NAMES)
      expect(
        cases.some((one) => one.name.includes(`"${name}"`)),
        name,
      ).toBe(true);
  });

  it.each([3, 64])("ends within its steps in a group of %i, and says more only where it knows", (n) => {
    const keys = Array.from({ length: n }, (_, i) => hashText("", `${i}`));
    for (const { name, judge } of cases) {
      const work = rehearsalWork();
      const started = cpuMs();
      const running = forecastOf(() => new TournamentRun({ keys, judge: judge as never, seed: 0 }), n, work);
      let steps = 0;
      for (;;) {
        const { done, value } = running.next();
        if (done) {
          if (work.steps <= 0) break;
          expect(value.expected, name).toBeLessThanOrEqual(value.most);
          expect(value.expected, name).toBeGreaterThan(0);
          break;
        }
        expect(value, name).toBeLessThanOrEqual(WAVE_MOST);
        steps += value;
      }
      expect(steps, name).toBeLessThanOrEqual(LIMITS.rehearsal_steps_max + WAVE_MOST);
      // A wave that is planned before the first answer is no rehearsal, and costs as one.
      expect(cpuMs() - started, name).toBeLessThan((steps + WAVE_MOST) * MS_A_STEP * SLOWER_MOST);
    }
  });

  it("tells what a group of 16 comes to whatever it is asked by, and what a large one cannot be told", () => {
    const expectedOf = (n: number, judge: object) => {
      const keys = Array.from({ length: n }, (_, i) => hashText("", `${i}`));
      const spec = AnySpecSchema.parse({ judge }) as unknown as { judge: never };
      const running = forecastOf(() => new TournamentRun({ keys, judge: spec.judge, seed: 0 }), n);
      for (;;) {
        const { done, value } = running.next();
        if (done) return value.expected;
      }
    };
    const unending = { schedule: { name: "auto", order_confidence: 1 } };
    expect(expectedOf(16, unending)).not.toBeNull();
    expect(expectedOf(64, unending)).toBeNull();
  });
});
