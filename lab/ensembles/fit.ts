// Fits weights for several judges of the same rollouts to labels, and says on held-out groups whether the
// weighted sum is better than the plain mean and than the best judge alone.

import { bootstrapRatio } from "../../src/core/math/bootstrap.ts";

/** One group: the judges' values and the label of each rollout that has all of them. */
export interface LabelledGroup {
  /** One array a rollout, in the order of the judges' names. */
  values: readonly (readonly number[])[];
  labels: readonly number[];
}

interface Gain {
  /** The first one's share of right pairs less the other's. */
  difference: number;
  /** 95 % bootstrap interval that draws whole groups. */
  ci95: [number, number];
}

export interface EnsembleFit {
  /** Groups of which some labels differ. */
  groups: number;
  /** Pairs of rollouts with different labels. */
  pairs: number;
  /** `alone`: its share of right pairs, a tie counting half. */
  judges: Record<string, { weight: number; alone: number }>;
  /** Shares of right pairs; `weighted` with weights of the other folds' groups. */
  right: { weighted: number; mean: number; best: { judge: string; share: number } };
  gain: { over_mean: Gain; over_best: Gain };
  /** Whether both intervals lie above 0. */
  better: boolean;
  /** What to put in a spec: the weighted sum where it is better, else the best judge or the mean. */
  expression: string;
}

const FOLDS = 10;
const RESAMPLES = 2000;
const SEED = 1;
const SWEEPS = 1000;
const DIGITS = 4;

/** Sums of products within groups: all that least squares needs. */
class Moments {
  readonly gram: number[][];
  readonly target: number[];

  constructor(judges: number) {
    this.gram = Array.from({ length: judges }, () => new Array<number>(judges).fill(0));
    this.target = new Array<number>(judges).fill(0);
  }

  /** Centres values and labels within the group, so that easy prompts are not agreement. */
  add({ values, labels }: LabelledGroup): void {
    const n = labels.length;
    const level = this.target.map((_, j) => values.reduce((sum, row) => sum + (row[j] as number), 0) / n);
    const label = labels.reduce((a, b) => a + b, 0) / n;
    for (const [r, row] of values.entries()) {
      const centred = row.map((value, j) => value - (level[j] as number));
      for (const [j, deviation] of centred.entries()) {
        this.target[j] = (this.target[j] as number) + deviation * ((labels[r] as number) - label);
        for (const [k, other] of centred.entries()) {
          const line = this.gram[j] as number[];
          line[k] = (line[k] as number) + deviation * other;
        }
      }
    }
  }
}

/**
 * Non-negative least squares by coordinate descent; all together 1, or equal where no judge helps.
 * A judge that contradicts the labels has the weight 0.
 */
function weightsOf(groups: readonly LabelledGroup[], judges: number): number[] {
  const { gram, target } = groups.reduce((moments, group) => {
    moments.add(group);
    return moments;
  }, new Moments(judges));
  const weights = new Array<number>(judges).fill(0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let j = 0; j < judges; j++) {
      const line = gram[j] as number[];
      const diagonal = line[j] as number;
      const others = weights.reduce((sum, weight, k) => (k === j ? sum : sum + weight * (line[k] as number)), 0);
      weights[j] = diagonal > 0 ? Math.max(0, ((target[j] as number) - others) / diagonal) : 0;
    }
  }
  const sum = weights.reduce((a, b) => a + b, 0);
  return sum > 0 ? weights.map((weight) => weight / sum) : weights.map(() => 1 / judges);
}

/** Pairs with different labels that the scores order as the labels do; a tie counts half. */
function rightPairs({ values, labels }: LabelledGroup, weights: readonly number[]): number {
  const scores = values.map((row) => row.reduce((sum, value, j) => sum + value * (weights[j] as number), 0));
  let right = 0;
  for (const [i, label] of labels.entries()) {
    for (let k = i + 1; k < labels.length; k++) {
      const ordered =
        Math.sign(label - (labels[k] as number)) * Math.sign((scores[i] as number) - (scores[k] as number));
      if (label !== labels[k]) right += (1 + ordered) / 2;
    }
  }
  return right;
}

const pairsOf = ({ labels }: LabelledGroup): number =>
  labels.reduce((sum, label, i) => sum + labels.slice(i + 1).filter((other) => other !== label).length, 0);

const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/**
 * Fits and judges the weights. Each group is scored by weights of the other folds' groups.
 * @param groups FOLDS or more with labels that differ
 */
export function fitEnsemble(names: readonly string[], groups: readonly LabelledGroup[]): EnsembleFit {
  const judges = names.length;
  const oneHot = (j: number) => names.map((_, k) => (k === j ? 1 : 0));
  const pairs = groups.map(pairsOf);
  const held = Array.from({ length: FOLDS }, (_, fold) =>
    weightsOf(
      groups.filter((_, g) => g % FOLDS !== fold),
      judges,
    ),
  );
  const weighted = groups.map((group, g) => rightPairs(group, held[g % FOLDS] as number[]));
  const plain = groups.map((group) => rightPairs(group, new Array<number>(judges).fill(1 / judges)));
  const alone = names.map((_, j) => groups.map((group) => rightPairs(group, oneHot(j))));
  const shares = alone.map((right) => total(right) / total(pairs));
  const best = shares.indexOf(Math.max(...shares));
  const gain = (right: readonly number[], other: readonly number[]): Gain => {
    const differences = right.map((value, g) => value - (other[g] as number));
    const options = { resamples: RESAMPLES, seed: SEED };
    const ci95 = bootstrapRatio(differences, pairs, options) as [number, number];
    return { difference: total(differences) / total(pairs), ci95 };
  };
  const [overMean, overBest] = [gain(weighted, plain), gain(weighted, alone[best] as number[])];
  const better = overMean.ci95[0] > 0 && overBest.ci95[0] > 0;
  const weights = weightsOf(groups, judges);
  const sum = names.flatMap((name, j) => {
    const weight = Number((weights[j] as number).toFixed(DIGITS));
    return weight > 0 ? `${weight} * ${name}` : [];
  });
  const bestAlone = gain(alone[best] as number[], plain).ci95[0] > 0;
  const otherwise = bestAlone ? (names[best] as string) : `mean(${names.join(", ")})`;
  return {
    groups: groups.length,
    pairs: total(pairs),
    judges: Object.fromEntries(
      names.map((name, j) => [name, { weight: weights[j] as number, alone: shares[j] as number }]),
    ),
    right: {
      weighted: total(weighted) / total(pairs),
      mean: total(plain) / total(pairs),
      best: { judge: names[best] as string, share: shares[best] as number },
    },
    gain: { over_mean: overMean, over_best: overBest },
    better,
    expression: better ? sum.join(" + ") : otherwise,
  };
}
