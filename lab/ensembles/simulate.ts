// Owns the simulation of judges of known quality: groups with a truth, what each judge says of
// them, and how well mean, fitted and best possible weights measure the truth. Seeded.
import { createRandom } from "../../src/core/math/random.ts";
import { mean } from "../../src/core/math/stats.ts";
import { type EnsembleFit, fitEnsemble } from "./fit.ts";
import { AgreementMoments } from "./moments.ts";

type Random = () => number;

/** What judges say of one group, one list a judge, and the truth. */
interface Group {
  truth: number[];
  columns: number[][];
}

export interface Scenario {
  name: string;
  judges: number;
  groups: number;
  group(random: Random, judges: number): Group;
}

const ROLLOUTS = 8;

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));

/**
 * Judges whose values correlate with the truth as `loadings` say; `shared` gives the last two an
 * error in common of that correlation, `prompt` the spread of what a prompt adds to all alike.
 */
export function graded(loadings: readonly number[], { shared = 0, prompt = 1 } = {}): Scenario["group"] {
  return (random) => {
    const truth = times(ROLLOUTS, () => normal(random));
    const common = times(ROLLOUTS, () => normal(random));
    const easy = prompt * normal(random);
    const columns = loadings.map((loading, j) => {
      const copies = j >= loadings.length - 2 ? shared : 0;
      return truth.map((value, r) => {
        const error = Math.sqrt(copies) * (common[r] as number) + Math.sqrt(1 - copies) * normal(random);
        return 0.5 + 0.1 * (easy + loading * value + Math.sqrt(1 - loading ** 2) * error);
      });
    });
    return { truth, columns };
  };
}

/** Judges that say right or wrong, by their rates of true and false positives. */
export function voting(rates: readonly (readonly [hit: number, miss: number])[]): Scenario["group"] {
  return (random) => {
    const share = 0.2 + 0.6 * random();
    const truth = times(ROLLOUTS, () => Number(random() < share));
    const columns = rates.map(([hit, miss]) => truth.map((right) => Number(random() < (right === 1 ? hit : miss))));
    return { truth, columns };
  };
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "five judges from 0.9 to 0.2", judges: 5, groups: 300, group: graded([0.9, 0.6, 0.4, 0.3, 0.2]) },
  { name: "one good (0.9), three poor (0.3)", judges: 4, groups: 300, group: graded([0.9, 0.3, 0.3, 0.3]) },
  { name: "three judges, 0.8, 0.5, 0.3", judges: 3, groups: 300, group: graded([0.8, 0.5, 0.3]) },
  {
    name: "votes, (TPR, FPR) from (0.9, 0.1) to (0.6, 0.45)",
    judges: 4,
    groups: 300,
    group: voting([
      [0.9, 0.1],
      [0.7, 0.3],
      [0.65, 0.4],
      [0.6, 0.45],
    ]),
  },
  { name: "0.8, 0.6, 0.4 and one that guesses", judges: 4, groups: 300, group: graded([0.8, 0.6, 0.4, 0]) },
  { name: "0.8, 0.6, 0.4 and one that is wrong (-0.5)", judges: 4, groups: 300, group: graded([0.8, 0.6, 0.4, -0.5]) },
  {
    name: "prompts of very different difficulty",
    judges: 4,
    groups: 300,
    group: graded([0.9, 0.6, 0.3, 0.2], { prompt: 4 }),
  },
  { name: "five equal judges (0.5)", judges: 5, groups: 300, group: graded([0.5, 0.5, 0.5, 0.5, 0.5]) },
  { name: "five judges, 40 groups", judges: 5, groups: 40, group: graded([0.9, 0.6, 0.4, 0.3, 0.2]) },
  { name: "five judges, 15 groups", judges: 5, groups: 15, group: graded([0.9, 0.6, 0.4, 0.3, 0.2]) },
  {
    name: "four judges, two with one error",
    judges: 4,
    groups: 300,
    group: graded([0.7, 0.6, 0.3, 0.3], { shared: 0.7 }),
  },
  { name: "three judges, two with one error", judges: 3, groups: 300, group: graded([0.7, 0.3, 0.3], { shared: 0.7 }) },
  { name: "two judges, 0.9 and 0.3", judges: 2, groups: 300, group: graded([0.9, 0.3]) },
];

/** Deviations from each group's mean. */
const centred = (values: readonly number[]): number[] => values.map((value) => value - mean(values));

function scoreOf(weights: readonly number[], groups: readonly Group[]): Quality {
  let [along, own, true_, hits] = [0, 0, 0, 0];
  for (const { truth, columns } of groups) {
    const sums = truth.map((_, r) => weights.reduce((sum, weight, j) => sum + weight * (columns[j]?.[r] as number), 0));
    const [said, right] = [centred(sums), centred(truth)];
    said.forEach((value, r) => {
      along += value * (right[r] as number);
      own += value ** 2;
      true_ += (right[r] as number) ** 2;
    });
    const top = Math.max(...sums);
    const tops = truth.filter((_, r) => (sums[r] as number) >= top - 1e-12);
    hits += tops.filter((value) => value === Math.max(...truth)).length / tops.length;
  }
  return { correlation: along / Math.sqrt(own * true_), best: hits / groups.length };
}

/** Least squares of the truth on the judges, which only who knows the truth can have. */
function bestPossible(groups: readonly Group[], judges: number): number[] {
  const product = times(judges, () => new Array<number>(judges + 1).fill(0));
  for (const { truth, columns } of groups) {
    const [right, said] = [centred(truth), columns.map(centred)];
    said.forEach((own, i) => {
      const row = product[i] as number[];
      [...said, right].forEach((other, j) => {
        row[j] = (row[j] as number) + own.reduce((sum, value, r) => sum + value * (other[r] as number), 0);
      });
    });
  }
  for (let i = 0; i < judges; i++) {
    const pivot = product[i] as number[];
    for (let k = 0; k < judges; k++) {
      if (k === i) continue;
      const row = product[k] as number[];
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let j = 0; j <= judges; j++) row[j] = (row[j] as number) - factor * (pivot[j] as number);
    }
  }
  return product.map((row, i) => (row[judges] as number) / (row[i] as number));
}

/** Correlation with the truth within groups, and the share of groups whose best is truly a best. */
export interface Quality {
  correlation: number;
  best: number;
}

export interface Outcome {
  fit: EnsembleFit;
  mean: Quality;
  /** The fitted weights, recommended or not. */
  weighted: Quality;
  recommended: Quality;
  possible: Quality;
}

const FRESH_GROUPS = 1_000;

/** One run of a scenario: fitted on its groups, measured on fresh ones. */
export function simulate({ judges, groups, group }: Scenario, seed: number): Outcome {
  const random = createRandom(seed);
  const moments = new AgreementMoments(times(judges, (j) => `judge_${j + 1}`));
  for (let g = 0; g < groups; g++) moments.add(group(random, judges).columns);
  const fit = fitEnsemble(moments);
  const fresh = times(FRESH_GROUPS, () => group(random, judges));
  const weights = Object.values(fit.judges).map(({ weight }) => weight);
  const weighted = scoreOf(weights, fresh);
  const equal = weights.map((weight) => Number(weight > 0));
  return {
    fit,
    mean: scoreOf(new Array<number>(judges).fill(1 / judges), fresh),
    weighted,
    recommended: fit.better ? weighted : scoreOf(equal, fresh),
    possible: scoreOf(bestPossible(fresh, judges), fresh),
  };
}
