// How many GPUs a step needs: the model over several seeds, with an interval, and the search for the fewest.
import { mean } from "../../src/core/math/stats.ts";
import { tInterval } from "../loadtest/intervals.ts";
import { Model, type StepResult } from "./model.ts";
import type { Setting } from "./setting.ts";

/** A setting's measured times, over seeds. */
export interface Measured {
  gpus: number;
  /** Seconds of a step, one a seed. */
  seconds: number[];
  mean_s: number;
  /** 95 % of the mean over seeds; both are the mean where one seed was drawn. */
  ci95: readonly [number, number];
  /** Means over the seeds. */
  step: Omit<StepResult, "seconds">;
}

/** The same setting with this many GPUs, once a seed from the setting's own on. */
export async function measured(setting: Setting, seeds: number): Promise<Measured> {
  const steps: StepResult[] = [];
  for (let k = 0; k < seeds; k++) steps.push(await new Model({ ...setting, seed: setting.seed + k }).step());
  const meanOf = (name: keyof StepResult) => mean(steps.map((step) => step[name]));
  const seconds = steps.map((step) => step.seconds);
  const { seconds: _, ...first } = steps[0] as StepResult;
  const names = Object.keys(first) as (keyof typeof first)[];
  const mean_s = mean(seconds);
  return {
    ...{ gpus: setting.gpus, seconds, mean_s, ci95: tInterval(seconds) ?? [mean_s, mean_s] },
    step: Object.fromEntries(names.map((name) => [name, meanOf(name)])) as Measured["step"],
  };
}

export interface Needed {
  /** null: not by any number up to the most. */
  gpus: number | null;
  /** At that number; without one at the most that was tried. */
  at: Measured;
}

export interface Search {
  target_s: number;
  seeds: number;
  /** GPUs at most. */
  max_gpus: number;
}

/** More GPUs that gain less than this are of no use: the longest answer alone takes so long. */
const GAIN_LEAST = 0.02;
/** Large numbers are found to this share of themselves. */
const RESOLUTION = 1 / 16;

const stepOf = (gpus: number): number => Math.max(1, Math.floor(gpus * RESOLUTION));

/**
 * The fewest GPUs for which the upper end of the interval of a step's time keeps the target; from
 * 32 on to one part in 16. Searched with the first seed, then raised until all seeds agree.
 */
export async function gpusFor(setting: Setting, { target_s, seeds, max_gpus }: Search): Promise<Needed> {
  const measureAt = (gpus: number, times: number) => measured({ ...setting, gpus }, times);
  let [fails, holds] = [0, 0];
  for (let gpus = 1, before = Number.POSITIVE_INFINITY; holds === 0; ) {
    const { mean_s, step } = await measureAt(gpus, 1);
    if (mean_s <= target_s) holds = gpus;
    else {
      const full = step.busy_s / step.gpu_s > 0.9;
      if (gpus === max_gpus || (!full && mean_s > before * (1 - GAIN_LEAST)))
        return { gpus: null, at: await measureAt(gpus, seeds) };
      [fails, before] = [gpus, mean_s];
      // While engines are full, twice as many take half as long.
      gpus = Math.min(max_gpus, Math.max(2 * gpus, full ? Math.floor((gpus * mean_s) / target_s / 2) : 0));
    }
  }
  while (holds - fails > stepOf(holds)) {
    const middle = Math.floor((fails + holds) / 2);
    if ((await measureAt(middle, 1)).mean_s <= target_s) holds = middle;
    else fails = middle;
  }
  for (let gpus = holds; ; gpus = Math.min(max_gpus, gpus + stepOf(gpus))) {
    const at = await measureAt(gpus, seeds);
    if (at.ci95[1] <= target_s) return { gpus, at };
    if (gpus === max_gpus) return { gpus: null, at };
  }
}
