// Who is selected: with a judge that never contradicts itself the best, under every schedule that
// looks for it and every score; with any judge never one whom the group's results contradict.
import { describe, expect, it } from "vitest";
import type { JudgeSettings, NamedSchedule } from "../../../src/core/contract/judge-settings.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { scheduleOf } from "../../../src/core/tournament/named-schedule.ts";
import { SCORES } from "../../../src/core/tournament/score-table.ts";
import { type ChanceJudge, playedGroup } from "./played-groups.ts";

const NAMES = Object.keys(SCORES).filter((name) => name !== "mean_score");
const VOTES = ["majority", "soft"] as const;

/** Qualities of n candidates; `levels`: the number of different ones. */
function qualitiesOf(n: number, seed: number, levels = Number.POSITIVE_INFINITY): number[] {
  const random = createRandom(hashText("quality", seed, n));
  return Array.from({ length: n }, () => (levels < n ? Math.floor(random() * levels) : 6 * random()));
}

const judgeOf = (qualities: readonly number[], votes: ChanceJudge["votes"]): ChanceJudge => ({
  chance: (i, j) => 1 / (1 + Math.exp((qualities[j] as number) - (qualities[i] as number))),
  votes,
});

const playedWith = (n: number, schedule: NamedSchedule, vote: string, seed: number, judge: ChanceJudge) =>
  playedGroup(n, { schedule, vote, mode: scheduleOf(schedule).schedule.mode } as Partial<JudgeSettings>, judge, seed);

describe("a judge that never contradicts itself", () => {
  const SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 24, 31, 32, 33, 47, 64];
  const FEW = [2, 3, 4, 5, 7, 8, 12, 16];
  const LOOKING: readonly (readonly [NamedSchedule, readonly number[]])[] = [
    ["swiss", SIZES],
    ["knockout", SIZES],
    ["pivot", SIZES],
    [{ name: "pivot", pivots: 1 }, FEW],
    [{ name: "pivot", pivots: 5 }, FEW],
    ["round_robin", [...FEW, 32]],
    ["active", FEW],
  ];

  it.each(LOOKING)("%j selects the best whatever the score", (schedule, sizes) => {
    const failures: string[] = [];
    for (const n of sizes)
      for (const vote of VOTES)
        for (let seed = 0; seed < 3; seed++) {
          const qualities = qualitiesOf(n, seed);
          const best = qualities.indexOf(Math.max(...qualities));
          const group = playedWith(n, schedule, vote, seed, judgeOf(qualities, "exact"));
          for (const score of NAMES) {
            const { selected, unsettled } = group.scored(score);
            if (selected !== best || unsettled) failures.push(`${n} ${vote} ${score} seed ${seed}: ${selected}`);
          }
        }
    expect(failures).toEqual([]);
  });

  it.each(["round_robin", "pivot"])("%s also pays the best most, whatever the score", (schedule) => {
    const failures: string[] = [];
    for (const n of FEW)
      for (const vote of VOTES)
        for (let seed = 0; seed < 3; seed++) {
          const qualities = qualitiesOf(n, seed);
          const best = qualities.indexOf(Math.max(...qualities));
          const group = playedWith(n, schedule, vote, seed, judgeOf(qualities, "exact"));
          for (const score of NAMES) {
            const { rewards } = group.scored(score);
            if (rewards[best] !== Math.max(...(rewards as number[])))
              failures.push(`${n} ${vote} ${score} seed ${seed}: ${rewards}`);
          }
        }
    expect(failures).toEqual([]);
  });

  it.each(LOOKING)("%j selects one of several best, by soft votes", (schedule) => {
    for (const n of FEW)
      for (let seed = 0; seed < 3; seed++) {
        const qualities = qualitiesOf(n, seed, 3);
        const group = playedWith(n, schedule, "soft", seed, judgeOf(qualities, "exact"));
        for (const score of NAMES) {
          const { selected } = group.scored(score);
          // Verdicts that name no winner select none.
          if (new Set(qualities).size === 1) continue;
          expect(qualities[selected as number], `${n} ${score} seed ${seed}`).toBe(Math.max(...qualities));
        }
      }
  });

  it("says where a schedule left the first place open", () => {
    for (const schedule of ["circular", "anchored", { name: "swiss", rounds: 1 }] as const) {
      const open = Array.from({ length: 10 }, (_, seed) => {
        const qualities = qualitiesOf(12, seed);
        const group = playedWith(12, schedule as NamedSchedule, "majority", seed, judgeOf(qualities, "exact"));
        return group.scored("win_rate").unsettled;
      });
      expect(open.filter(Boolean).length, JSON.stringify(schedule)).toBeGreaterThan(5);
    }
  });
});

describe("any judge", () => {
  const SCHEDULES = [
    "round_robin",
    "circular",
    { name: "circular", degree: 3 },
    "anchored",
    "pivot",
    "swiss",
    "knockout",
    "active",
    "blocks",
  ] as const;

  it.each(SCHEDULES)("%j selects nobody whom the group's own results contradict", (schedule) => {
    const failures: string[] = [];
    for (const n of [3, 4, 5, 8, 12])
      for (const vote of schedule === "blocks" ? (["majority"] as const) : VOTES)
        for (let seed = 0; seed < 8; seed++) {
          const group = playedWith(n, schedule as NamedSchedule, vote, seed, judgeOf(qualitiesOf(n, seed), "noisy"));
          const all = [...Array(n).keys()];
          const lostToAny = (i: number, among: readonly number[]) => among.some((j) => group.beat(j, i));
          for (const score of NAMES) {
            const { selected, rewards, points, placed } = group.scored(score);
            const about = `${n} ${vote} ${score} seed ${seed}: ${selected} of ${rewards}`;
            if (selected === null) continue;
            const unbeaten = all.filter((i) => !lostToAny(i, all));
            if (lostToAny(selected, unbeaten)) failures.push(`${about} lost to one without a loss`);
            const most = (values: readonly (number | null)[]) =>
              all.filter((i) => (values[i] as number) >= (values[selected] as number) - 1e-9);
            if (unbeaten.includes(selected)) continue;
            if (placed) {
              if (most(points).length > 1) failures.push(`${about} is not first of ${points}`);
              continue;
            }
            const equals = most(rewards);
            const circle = equals.every((i) => lostToAny(i, equals));
            if (lostToAny(selected, equals) && !circle) failures.push(`${about} lost to one with as much`);
          }
        }
    expect(failures).toEqual([]);
  });

  it("selects the champion of a bracket by soft votes, whose rewards are means over unequal opponents", () => {
    const qualities = [5.6, 5.5, 0.4, 0.6];
    for (let seed = 0; seed < 60; seed++) {
      const group = playedWith(4, "knockout", "soft", seed, judgeOf(qualities, "exact"));
      for (const score of NAMES) expect(group.scored(score).selected, `${score} seed ${seed}`).toBe(0);
    }
  });
});
