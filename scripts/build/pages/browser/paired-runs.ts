// How the rewards and the tau-b of two runs differ on the prompts that both have. Pure.
import { type BootstrapOptions, bootstrapMean } from "../../../../src/core/math/bootstrap.ts";
import { mean } from "../../../../src/core/math/stats.ts";

/** The part of a logged group that is compared. */
export interface ComparedGroup {
  prompt_hash: string;
  /** null: the rollout has none. */
  rewards: readonly (number | null)[];
  /** Between win counts and labels; null where undefined or without labels. */
  tau_b: number | null;
}

export interface PairedDifference {
  /** Prompts of which both runs have a value. */
  prompts: number;
  /** Means over these prompts of a prompt's mean; null where there are none. */
  run: number | null;
  other: number | null;
  /** `one` less `other`. */
  difference: number | null;
  /** 95 % interval of the difference; null of fewer than two prompts. */
  ci95: [number, number] | null;
}

export interface PairedRuns {
  rewards: PairedDifference;
  tau_b: PairedDifference;
}

/** Each prompt's mean over all that is known of it; prompts of which nothing is are left out. */
function meansOf(
  groups: readonly ComparedGroup[],
  valuesOf: (group: ComparedGroup) => readonly (number | null)[],
): Map<string, number> {
  const known = new Map<string, number[]>();
  for (const group of groups) {
    const values = valuesOf(group).filter((value) => value !== null);
    if (values.length === 0) continue;
    const all = known.get(group.prompt_hash);
    if (all === undefined) known.set(group.prompt_hash, values);
    else all.push(...values);
  }
  return new Map([...known].map(([prompt, values]) => [prompt, mean(values)]));
}

/** How many prompts both runs have. */
function commonPrompts(run: readonly ComparedGroup[], other: readonly ComparedGroup[]): number {
  const theirs = new Set(other.map(({ prompt_hash }) => prompt_hash));
  return [...new Set(run.map(({ prompt_hash }) => prompt_hash))].filter((prompt) => theirs.has(prompt)).length;
}

function paired(
  mine: ReadonlyMap<string, number>,
  theirs: ReadonlyMap<string, number>,
  options: BootstrapOptions,
): PairedDifference {
  const common = [...mine.keys()].filter((prompt) => theirs.has(prompt)).sort();
  if (common.length === 0) return { prompts: 0, run: null, other: null, difference: null, ci95: null };
  const valuesOf = (means: ReadonlyMap<string, number>) => common.map((prompt) => means.get(prompt) as number);
  const [here, there] = [valuesOf(mine), valuesOf(theirs)];
  const differences = here.map((value, i) => value - (there[i] as number));
  return {
    prompts: common.length,
    run: mean(here),
    other: mean(there),
    difference: mean(differences),
    ci95: common.length < 2 ? null : bootstrapMean(differences, options),
  };
}

/** Resamples of the interval: fewer of many prompts, so that a page stays responsive. */
const RESAMPLES = 2_000;
const RESAMPLES_LEAST = 200;
const DRAWS_MOST = 8_000_000;

/**
 * Mean differences of two runs' rewards (in the specs' own units) and of their tau-b (in [-2, 2]),
 * paired by prompt: each prompt counts once, however many rollouts and groups it has, and the
 * bootstrap draws whole prompts (Efron 1979; `bootstrapMean`, expanded for few), so that rollouts of
 * one prompt are not taken for independent. The same groups in any order give the same intervals.
 */
export function pairedRuns(
  run: readonly ComparedGroup[],
  other: readonly ComparedGroup[],
  seed: BootstrapOptions["seed"],
): PairedRuns {
  const prompts = Math.max(1, commonPrompts(run, other));
  const resamples = Math.max(RESAMPLES_LEAST, Math.min(RESAMPLES, Math.floor(DRAWS_MOST / prompts)));
  const compare = (valuesOf: Parameters<typeof meansOf>[1]) =>
    paired(meansOf(run, valuesOf), meansOf(other, valuesOf), { resamples, seed });
  return { rewards: compare(({ rewards }) => rewards), tau_b: compare(({ tau_b }) => [tau_b]) };
}
