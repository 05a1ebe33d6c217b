// What is put to a verifier: which candidates it is shown, in what order, in whose words, how
// often.

import { LIMITS } from "../faults/limits.ts";
import type { PromptSlots } from "./prompt-job.ts";
import type { TestRuns } from "./test-runs.ts";

/** What a schedule asks: candidates beside each other, in this order. */
export interface Showing {
  /**
   * In a plan class indices, in a job indices of its candidates; the first is shown under letter A.
   */
  shown: readonly number[];
  /** Generations to sample, 1..64. */
  samples: number;
  /** Number of the first sample, 0 when left out; the number seeds the engine. */
  first_sample?: number;
  /**
   * `majority`: samples that cannot change the majority may be left out, reported as `saved`; only
   * for a question that decides its pair alone. Default `all`.
   */
  stop?: "majority" | "all";
  /** Asked before with answers that could not be read, now under fresh sample numbers. */
  reask?: true;
  /** Tokens of each answer at most, where they are fewer than the judge's own: `think.first`. */
  max_tokens?: number;
  /** Asked before with fewer tokens, now with all that the judge has (../tournament/thinking.ts). */
  longer?: true;
}

/**
 * Sample numbers that no first asking of any comparison reaches: both orders, each with the most
 * samples.
 */
export const REASK_FROM = 2 * LIMITS.samples_max;

/** Whether it is asked with fewer tokens than the judge has, and may be asked again with all. */
export const isShort = ({ max_tokens }: Pick<Showing, "max_tokens">): boolean => max_tokens !== undefined;

/** One question to a verifier. */
export interface Question extends Showing {
  /** What kind of backend answers it. */
  to: "chat" | "scalar" | "prm" | "execute" | "check";
  /** Name of the preset whose words ask it; of a checker its address. */
  preset: string;
  /** Texts that the preset needs besides. */
  slots?: PromptSlots;
  /** Of a solution shown in steps: how many it has. An answer that names none of them is none. */
  steps?: number;
  /** Of questions to a sandbox: each sample is one of these cases, by its number. */
  runs?: TestRuns;
}

/** A question within a job, by an id unique there. */
export type JobQuestion = Omit<Showing, "reask" | "longer"> & {
  id: number;
  /**
   * Aborted when no answer to it can matter any more: then its samples may be ended, and told as
   * `saved`, where its verifier can.
   */
  obsolete?: AbortSignal;
};

/**
 * Whether it shows several copies of one candidate, to see whether they fit (attribution.ts); its
 * verdict decides nothing.
 */
export const isProbe = ({ shown }: Pick<Showing, "shown">): boolean => shown[0] === shown[1];

/** Which samples a question asks, as a key: one with few tokens is another than one with all. */
export const samplesNamed = ({ first_sample = 0, samples, max_tokens }: Showing): string =>
  `${first_sample}+${samples}${max_tokens === undefined ? "" : `@${max_tokens}`}`;

/**
 * Generations of a question as limits count it: one with few tokens with what may be asked again
 * with all, which then counts no more.
 */
export function countOf({ samples, max_tokens, longer, reask }: Showing): number {
  if (max_tokens !== undefined) return 2 * samples;
  return longer === true && reask !== true ? 0 : samples;
}

/** The candidates that it compares, in whatever order they are shown, as a key. */
export const comparedIn = ({ shown }: Pick<Showing, "shown">): string => [...shown].sort((a, b) => a - b).join();

/** Neither asked again for want of a verdict nor with more tokens. */
export const isFirst = ({ reask, longer }: Pick<Showing, "reask" | "longer">): boolean =>
  reask !== true && longer !== true;
