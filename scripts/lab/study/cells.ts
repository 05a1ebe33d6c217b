// Owns the study's cells: every way of asking against every verifier and list length, with means
// and intervals clustered by problem.
import { clusteredRatio } from "../../../src/core/formulations/clusters.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { readLists } from "./lists.ts";
import { type Played, play } from "./play.ts";
import { type Noise, verifierOf } from "./verifier-model.ts";
import { type Way, waysFor } from "./ways.ts";

/** Strengths by which all pairs in both orders x 4 reach about the tau-b that design/schedules.md expects at n = 16. */
export const LEVELS: Readonly<Record<string, Pick<Noise, "discrimination" | "candidate_bias">>> = {
  strong: { discrimination: 10, candidate_bias: 0.6 },
  middle: { discrimination: 5.5, candidate_bias: 0.7 },
  weak: { discrimination: 3, candidate_bias: 0.7 },
};

/** The other parameters, varied so that no conclusion hangs on one guess. */
export const NOISES: Readonly<Record<string, Pick<Noise, "pair_bias" | "position_bias" | "position_spread">>> = {
  usual: { pair_bias: 0.5, position_bias: 0.3, position_spread: 0.5 },
  "no pair bias": { pair_bias: 0, position_bias: 0.3, position_spread: 0.5 },
  "strong pair bias": { pair_bias: 1.2, position_bias: 0.3, position_spread: 0.5 },
  "strong position bias": { pair_bias: 0.5, position_bias: 1.2, position_spread: 1 },
};

/** Prompt and generated tokens of one generation; thinking's mean as measured on thinking verifiers. */
export const TOKENS = { direct: { prompt: 1500, completion: 4 }, thinking: { prompt: 1500, completion: 4000 } };

export interface Estimate {
  mean: number | null;
  ci95: [number, number] | null;
}

export interface Cell {
  level: string;
  noise: string;
  style: Noise["style"];
  n: number;
  lists: number;
  way: Way;
  generations: number;
  /** Tokens over the reference's. */
  share: number;
  tau: Estimate;
  top: Estimate;
  /** Less the reference's, list by list. */
  tau_gain: Estimate;
  top_gain: Estimate;
}

export interface StudyPlan {
  set: string;
  sizes: readonly number[];
  draws: number;
  /** Noises of which every size is run; the others only at the middle size. */
  noises: readonly string[];
  styles: readonly Noise["style"][];
}

export function* cellsOf({ set, sizes, draws, noises, styles }: StudyPlan): Generator<Cell> {
  for (const n of sizes) {
    const lists = readLists(set, n, draws);
    for (const style of styles) {
      for (const noise of noises) {
        if (noise !== "usual" && n !== 16) continue;
        for (const [level, strength] of Object.entries(LEVELS)) {
          const parameters: Noise = { ...strength, ...(NOISES[noise] as (typeof NOISES)[string]), style };
          const verifiers = lists.map(({ qualities, problem }, k) =>
            verifierOf(qualities, parameters, `${problem} ${n} ${k}`),
          );
          let reference: readonly Played[] | null = null;
          for (const way of waysFor(n)) {
            const played = lists.map((list, k) => play(list, verifiers[k] as (typeof verifiers)[number], way, k));
            reference ??= played;
            yield { level, noise, style, n, lists: lists.length, way, ...summary(played, reference) };
          }
        }
      }
    }
  }
}

function summary(played: readonly Played[], reference: readonly Played[]) {
  const generations = (all: readonly Played[]) => all.reduce((sum, one) => sum + one.generations, 0) / all.length;
  const estimate = (value: (one: Played, of: Played) => number | null): Estimate => {
    const observations = played.flatMap((one, k) => {
      const over = value(one, reference[k] as Played);
      return over === null ? [] : [{ over, under: 1, cluster: one.problem }];
    });
    return clusteredRatio(observations, { resamples: 400, seed: hashText("study") });
  };
  return {
    generations: generations(played),
    share: generations(played) / generations(reference),
    tau: estimate(({ tau }) => tau),
    top: estimate(({ top }) => top),
    tau_gain: estimate((one, of) => (one.tau === null || of.tau === null ? null : one.tau - of.tau)),
    top_gain: estimate((one, of) => one.top - of.top),
  };
}
