// Decides which programs are mutated and under which generator their mutants go.
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import { newCandidate, type PoolCandidate } from "../format/pool-format.ts";
import { mutants } from "../mutation/mutants.ts";
import { PEOPLE } from "../sources/problem-folders.ts";

/**
 * The generator of programs with mistakes made on purpose, and of the right ones they were made
 * from.
 */
export const MUTATION = "mutation";

type Language = "python" | "javascript";
const isMutable = (language: string): language is Language => language === "python" || language === "javascript";

/**
 * Wrong programs that are mutated further, of each problem and language: few, so that a list can
 * hold several of one's mutants.
 */
const PARENTS_MAX = 3;
/**
 * A further mistake seldom helps, so hard programs are made from parents that are hard themselves; those are
 * taken first.
 */
const PARENT_PASS_RATE_MIN = 0.5;
const HARD_PARENT_PASS_RATE_MIN = 0.75;

const CHAIN = " + ";

/** A candidate's mistakes before its last one; null when it has none or one. */
export function parentMutation({ mutation }: Pick<PoolCandidate, "mutation">): string | null {
  const end = mutation?.lastIndexOf(CHAIN) ?? -1;
  return end < 0 ? null : (mutation?.slice(0, end) ?? null);
}

const groupKey = ({ problem_id, language }: PoolCandidate): string => JSON.stringify([problem_id, language]);

async function mutantsOf(
  base: PoolCandidate,
  { seed, count }: { seed: number; count: number },
): Promise<PoolCandidate[]> {
  const { problem_id, language, code } = base;
  if (!isMutable(language)) return [];
  return Promise.all(
    mutants(code, language, { seed, count }).map((mutant) => {
      const mutation = base.mutation === null ? mutant.mutation : `${base.mutation}${CHAIN}${mutant.mutation}`;
      return newCandidate({ problem_id, language, generator: MUTATION, code: mutant.code, mutation });
    }),
  );
}

const identityOf = ({ problem_id, language, code }: PoolCandidate) => ({ problem_id, language, code });

/** Right programs by problem and language; only measured ones that are not mutants. */
function rightPrograms(candidates: readonly PoolCandidate[]): PoolCandidate[][] {
  const right = candidates.filter(
    ({ generator, pass_rate, language }) => generator === PEOPLE && pass_rate === 1 && isMutable(language),
  );
  return [...Map.groupBy(right, groupKey).values()];
}

/**
 * `count` single mutants for each problem and language with a right program, shared among its right
 * programs, and those programs.
 */
export async function singleMutants(
  candidates: readonly PoolCandidate[],
  { seed, count }: { seed: number; count: number },
): Promise<PoolCandidate[]> {
  const groups = rightPrograms(candidates).flatMap((bases) =>
    bases.map(async (base) => [
      await newCandidate({ ...identityOf(base), generator: MUTATION }),
      ...(await mutantsOf(base, { seed, count: Math.ceil(count / bases.length) })),
    ]),
  );
  return (await Promise.all(groups)).flat();
}

/**
 * `count` mutants of mutants for each problem and language. `candidates` hold measured single
 * mutants. In a list of single mistakes the right program is the one most like all the others, so a
 * verifier could find it without understanding; among these the middle of a list can be a wrong
 * program.
 */
export async function chainedMutants(
  candidates: readonly PoolCandidate[],
  { seed, count }: { seed: number; count: number },
): Promise<PoolCandidate[]> {
  const isHard = ({ pass_rate }: PoolCandidate): boolean => (pass_rate ?? 0) >= HARD_PARENT_PASS_RATE_MIN;
  const eligible = candidates.filter(
    ({ generator, pass_rate, mutation }) =>
      generator === MUTATION &&
      mutation !== null &&
      pass_rate !== null &&
      pass_rate >= PARENT_PASS_RATE_MIN &&
      pass_rate < 1,
  );
  const groups = [...Map.groupBy(eligible, groupKey)].map(async ([key, members]) => {
    const random = createRandom(hashText("parents", seed, key));
    const inOrder = shuffled(members, random).sort((a, b) => Number(isHard(b)) - Number(isHard(a)));
    const parents = inOrder.slice(0, PARENTS_MAX);
    const each = Math.ceil(count / parents.length);
    return (await Promise.all(parents.map((parent) => mutantsOf(parent, { seed, count: each })))).flat();
  });
  return (await Promise.all(groups)).flat();
}
