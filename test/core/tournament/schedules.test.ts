// The golden cases of schedules.json, and what every schedule guarantees.
import { describe, expect, it } from "vitest";
import { anchored } from "../../../src/core/tournament/schedules/anchored.ts";
import { circular } from "../../../src/core/tournament/schedules/circular.ts";
import { knockout } from "../../../src/core/tournament/schedules/knockout.ts";
import { pivot } from "../../../src/core/tournament/schedules/pivot.ts";
import { type Match, type Schedule, ScheduleRun } from "../../../src/core/tournament/schedules/schedule.ts";
import { swiss } from "../../../src/core/tournament/schedules/swiss.ts";
import golden from "../../vectors/schedules.json" with { type: "json" };

interface Case {
  name: string;
  input: {
    kind: string;
    n: number;
    order: number[];
    quality?: number[];
    rewards?: number[];
    upsets?: number[][];
    k?: number;
    max_rounds?: number | null;
  };
  expected: { error?: string; waves?: number[][][]; reward?: number[]; pivots?: number[]; ring_directed?: number[][] };
}
const KINDS: Record<string, Schedule> = {
  circular: circular as Schedule,
  anchored: anchored as Schedule,
  ppt: pivot as Schedule,
  swiss: swiss as Schedule,
  single_elimination: knockout,
};
/**
 * Where all are equal after the ring, the golden pivots are those of lowest id; ours never go by
 * position.
 */
const BY_POSITION = "ppt_all_equal_with_slot_bias";
const cases = (golden.cases as unknown as Case[]).filter(
  ({ name, input }) => KINDS[input.kind] !== undefined && name !== BY_POSITION,
);

const sorted = (pairs: readonly Match[]) => pairs.map((pair) => [...pair].sort((a, b) => a - b).join()).sort();

/** Every wave of a schedule against an oracle. */
function played(schedule: Schedule, order: number[], settings: object, outcomes: (i: number, j: number) => number) {
  const pairing = new ScheduleRun(schedule, {
    order,
    settings: schedule.settings.parse(settings),
    graded: false,
    hasBudget: false,
    listLimit: "list_candidates_max",
  });
  const waves: string[][] = [];
  for (;;) {
    const wave = pairing.next(outcomes);
    if (wave.length === 0) return { waves, places: pairing.places };
    waves.push(sorted(wave));
  }
}

/** The new pairs of the golden waves: ours ask no pair twice. */
function firsts(waves: number[][][]): string[][] {
  const asked = new Set<string>();
  return waves
    .map((wave) => [...new Set(sorted(wave))].filter((pair) => !asked.has(pair) && asked.add(pair)))
    .filter((wave) => wave.length > 0);
}

describe("golden schedules", () => {
  it.each(cases)("$name", ({ input, expected }) => {
    const { kind, order, quality = [], rewards, upsets = [], k, max_rounds } = input;
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
    const upset = (i: number, j: number) => upsets.some(([a, b]) => (a === i && b === j) || (a === j && b === i));
    const score = (i: number, j: number) =>
      rewards ? sigmoid((rewards[i] as number) - (rewards[j] as number)) : (quality[upset(i, j) ? j : i] as number);
    const outcome = (i: number, j: number) =>
      kind === "swiss" ? (1 + Math.sign(score(i, j) - score(j, i))) / 2 : score(i, j);
    const settings =
      kind === "ppt" ? { pivots: k } : kind === "swiss" && max_rounds ? { rounds: Math.min(63, max_rounds) } : {};
    const { waves, places } = played(KINDS[kind] as Schedule, order, settings, outcome);
    if (expected.error !== undefined) return expect(waves).toEqual([]);
    expect(waves).toEqual(firsts(expected.waves as number[][][]));
    if (places)
      for (const [i, place] of places.entries()) expect(place).toBeCloseTo(expected.reward?.[i] as number, 12);
  });
});
