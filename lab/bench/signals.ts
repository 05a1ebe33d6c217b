// The benchmark of what signals and their expression cost beside judging: 64 groups of 16 through tests, a
// cascade and length.
import { createPreparer } from "../../src/core/candidate/prepare.ts";
import { drained } from "../../src/core/math/drained.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { GroupSignals } from "../../src/core/reward/group-signals.ts";
import { preparerRules } from "../../src/core/reward/preparing.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { type Figure, repeated } from "./figures.ts";
import { type Batch, rewardsRequest } from "./loads.ts";

const SPEC = {
  signals: {
    tests: { kind: "tests", score: "rate" },
    quality: { kind: "tournament", when: "tests == 1", skip_value: 0 },
    short: { kind: "length", max: 16_384 },
    shape: { kind: "format", rules: ["has_candidate"], penalty: 1 },
  },
  reward: "if(tests == 1, 0.5 + 0.3 * quality + 0.2 * clamp(zscore(short), -1, 1), 0.3 * tests) + shape",
};

/** Tests that one can have of each rollout. */
const TESTS = 10;

/**
 * Milliseconds of this process's CPU a batch: the spec compiled, every signal opened and settled (no rollout
 * passes all tests, so none is judged), columns and rewards. Reading the request and taking candidates out of
 * rollouts are not in it: every spec pays them.
 */
export async function benchSignals(batch: Batch, rounds: number): Promise<Figure[]> {
  const { groups } = rewardsRequest(batch);
  const tested = groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout, r) => ({
      ...rollout,
      tests: Array.from({ length: TESTS }, (_, t) => ({ status: t > 0 && (t + r) % 3 > 0 ? "pass" : "fail" })),
    })),
  }));
  const request = RewardsRequestSchema.parse({ groups: tested });
  const spec = SignalsSpecSchema.parse(SPEC);
  const prepare = createPreparer(preparerRules(compileSpec(spec)));
  const prepared = request.groups.map((group, index) => prepare(group, index));
  const measure = () => {
    const before = process.cpuUsage();
    const compiled = compileSpec(spec);
    let rewards = 0;
    for (const group of prepared) {
      const signals = new GroupSignals(compiled, group, 1);
      for (const open of drained(signals.advance())) signals.settle(open, []);
      signals.columns();
      rewards += signals.rewards().length;
    }
    const { user, system } = process.cpuUsage(before);
    if (rewards !== batch.groups * batch.rollouts) throw new Error(`${rewards} rewards`);
    return (user + system) / 1000;
  };
  const name = `signals and expression ${batch.groups} x ${batch.rollouts}: tests, cascade, length, format`;
  return [await repeated(name, "ms CPU", { max: 30 }, rounds, measure)];
}
