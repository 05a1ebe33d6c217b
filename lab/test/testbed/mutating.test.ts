// The guarantees of which programs are mutated: right ones by hand, then wrong mutants; each mutant once, the
// same from the same seed.
import { describe, expect, it } from "vitest";
import type { ExecutionEngine } from "../../testbed/engines/engine.ts";
import { Meter } from "../../testbed/sets/measuring.ts";
import { chainedMutants, MUTATION, singleMutants } from "../../testbed/sets/mutating.ts";
import { PassRateCache } from "../../testbed/sets/pass-rate-cache.ts";
import { mutatePool } from "../../testbed/sets/pool.ts";
import { candidate, problem, textEngine } from "./pools.ts";

const CODE = `numbers = list(map(int, input().split()))
total = 0
for i in range(1, len(numbers)):
    if numbers[i] > numbers[i - 1] and numbers[i] >= 0:
        total += numbers[i] - numbers[i - 1]
print(max(total, 1))
`;
const right = candidate("p", 20, { code: CODE });
const options = { seed: 1, count: 12 };

describe("single mutants", () => {
  it("are made from measured right programs written by people, which stay in the pool", async () => {
    const others = [candidate("p", 19, { code: `${CODE}# wrong` }), candidate("q", 20, { language: "java" })];
    const made = await singleMutants([right, ...others], options);
    expect(made[0]).toMatchObject({ code: CODE, mutation: null, generator: MUTATION, pass_rate: null });
    expect(made).toHaveLength(13);
    expect(new Set(made.map(({ code }) => code)).size).toBe(13);
    expect(made.slice(1).every(({ mutation, problem_id }) => mutation !== null && problem_id === "p")).toBe(true);
    expect(await singleMutants([right], options)).toEqual(made);
    expect(await singleMutants([right], { ...options, seed: 2 })).not.toEqual(made);
  });
});

describe("mutants of mutants", () => {
  const measured = async (passed: number) =>
    (await singleMutants([right], options))
      .slice(1)
      .map((row) => ({ ...row, passed, total: 20, pass_rate: passed / 20 }));

  it("are made from mutants with a partial pass rate, and name both mistakes", async () => {
    const parents = await measured(16);
    const labels = parents.map(({ mutation }) => mutation ?? "");
    const children = await chainedMutants([right, ...parents], options);
    expect(children.length).toBeGreaterThan(6);
    for (const { mutation } of children) {
      expect(labels.some((label) => mutation?.startsWith(`${label} + `))).toBe(true);
    }
    for (const hopeless of [20, 9, 0]) expect(await chainedMutants(await measured(hopeless), options)).toEqual([]);
  });

  it("are made from the hardest first", async () => {
    const [hard, ...easy] = await measured(11);
    if (hard === undefined) throw new Error("no mutant");
    const children = await chainedMutants([...easy, { ...hard, pass_rate: 0.9 }], options);
    expect(children.some(({ mutation }) => mutation?.startsWith(`${hard.mutation} + `))).toBe(true);
  });
});

it("a pool mutated twice contains only the mutants of the second time, each once", async () => {
  const meter = new Meter(textEngine(), await PassRateCache.open());
  const given = { problems: [problem("p")], candidates: [right] };
  const mutation = { seed: 1, mutants: 6, chained: 6 };
  const once = await mutatePool(meter, given, mutation, () => {});
  const twice = await mutatePool(meter, once, mutation, () => {});
  const ids = twice.candidates.map(({ candidate_id }) => candidate_id);
  expect(twice).toEqual(once);
  expect(new Set(ids).size).toBe(ids.length);
});

it("a right program that a second mistake restores stays a right program", async () => {
  const engine: ExecutionEngine = {
    ...textEngine(),
    run: async ({ code }, tests) =>
      tests.map((_, index) => ({ outcome: code === right.code || index < 16 ? "passed" : "wrong", reason: null })),
  };
  const given = { problems: [problem("p")], candidates: [right] };
  const sofar = { seed: 1, mutants: 60, chained: 0 };
  const meter = new Meter(engine, await PassRateCache.open());
  const found = async (mutation: typeof sofar) =>
    (await mutatePool(meter, given, mutation, () => {})).candidates.filter(
      ({ code, generator }) => code === right.code && generator === MUTATION,
    );
  const parents = (await singleMutants([right], { seed: 1, count: 60 })).slice(1);
  const children = await chainedMutants(
    parents.map((row) => ({ ...row, pass_rate: 0.8 })),
    { seed: 1, count: 300 },
  );
  expect(children.some(({ code }) => code === right.code)).toBe(true);
  expect(await found({ ...sofar, chained: 300 })).toEqual(await found(sofar));
  expect(await found(sofar)).toMatchObject([{ mutation: null, pass_rate: 1 }]);
});
