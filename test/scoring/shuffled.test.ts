// Whatever the order of rollouts and answers, every score and measure is the same to the last bit.

import { describe, expect, it } from "vitest";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { SCORES } from "../../src/core/tournament/score-table.ts";
import type { Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";
import { printed, program, reordering, scoreOne } from "./score-setup.ts";

const SEED = 22;

/** Scores from 0 to 10 in thirds of what is printed, with luck by the pair and the sample. */
const graded: Script = (shown, { sample }) => {
  const said = shown.map((text) => {
    const random = createRandom(hashText("graded", printed(text), ...[...shown].sort(), sample));
    return Math.max(0, Math.min(10, Math.round(printed(text) / 3 + 5 * (random() - 0.5))));
  });
  return `\\boxed{[${said.join(", ")}]}`;
};

const schedules = Object.entries(SCHEDULES).filter(([, { mode }]) => mode === "pairwise");

describe.each(schedules.map(([name]) => name))("under %s", (schedule) => {
  it.each(Object.keys(SCORES))("the score %s is bit-equal", async (score) => {
    const check = async (values: number[], samples: number, turn: number) => {
      const judge = { form: "scores", strength: "graded", schedule, samples };
      const spec = { judge, reward: score } as SpecInput;
      const order = shuffled([...values.keys()], createRandom(turn));
      const direct = await scoreOne(values.map(program), { spec, verifier: reordering(graded, turn) });
      const moved = await scoreOne(
        order.map((i) => program(values[i] as number)),
        { spec, verifier: reordering(graded, turn + 1) },
      );
      const pick = <T>(all: readonly T[]) => order.map((i) => all[i]);
      expect(moved.rollouts.map(({ reward }) => reward)).toEqual(pick(direct.rollouts.map(({ reward }) => reward)));
      expect(moved.points).toEqual(pick(direct.points ?? []));
      expect(moved.metrics).toEqual(direct.metrics);
      expect(moved.verifier.chosen).toEqual(direct.verifier.chosen);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(30), { minLength: 3, maxLength: 9 }),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(),
        check,
      ),
      { seed: SEED, numRuns: 4 },
    );
  });
});
