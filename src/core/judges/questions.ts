// What is put to a verifier: which candidates it is shown, in what order, in whose words, how often.

import type { PromptSlots } from "./prompt-job.ts";

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
}

/** One question to a verifier. */
export interface Question extends Showing {
  /** What kind of backend answers it. */
  to: "chat" | "scalar";
  /** Name of the preset whose words ask it. */
  preset: string;
  /** Texts that the preset needs besides. */
  slots?: PromptSlots;
}

/** A question within a job, by an id unique there. */
export type JobQuestion = Omit<Showing, "reask"> & { id: number };

/**
 * Whether it shows several copies of one candidate, to see whether they fit (attribution.ts); its
 * verdict decides nothing.
 */
export const isProbe = ({ shown }: Pick<Showing, "shown">): boolean => shown[0] === shown[1];
