// Questions to a verifier: which candidates are shown, in which order, with which preset, and how many
// samples are drawn.

import { isSummarised } from "../judges/presets/table.ts";
import type { PromptSlots } from "../judges/prompt-job.ts";
import type { TestRuns } from "../judges/test-runs.ts";
import { firstSampleOf, type Purpose } from "./purpose.ts";

/** A question as planned by a schedule: the candidates to show together, in this order. */
export interface Presentation {
  /**
   * Indices of classes (distinct candidates) in a plan, of candidates in a job. The first is shown under
   * letter A.
   */
  shown: readonly number[];
  /** Number of generations to sample, 1..64. */
  samples: number;
  purpose: Purpose;
  /**
   * `majority`: samples that cannot change the majority may be skipped and are reported as `saved`. Allowed
   * only for a question that decides its pair alone. Default `all`.
   */
  stop?: "majority" | "all";
}

/** One question to a verifier. */
export interface Question extends Presentation {
  /** The kind of backend that answers the question. */
  to: "chat" | "decide" | "scalar" | "prm" | "execute" | "check" | "check_steps";
  /** Name of the preset that words the question; for a checker, the checker's address. */
  preset: string;
  /** Values for the preset's other placeholders. */
  slots?: PromptSlots;
  /**
   * Number of steps, if the solution is shown in numbered steps. An answer that names no valid step is
   * unreadable.
   */
  steps?: number;
  /** Test cases for a sandbox: sample number i runs case i. */
  runs?: TestRuns;
}

/** A question within a job, with an id that is unique in the job. `first_sample`: default 0. */
export type JobQuestion = Omit<Presentation, "purpose"> & {
  id: number;
  first_sample?: number;
};

/**
 * Number of generations that a question needs. A summarising first turn is generated once for all samples.
 */
export const generationsOf = ({ samples, preset }: Pick<Question, "samples" | "preset">): number =>
  isSummarised(preset) ? samples + 1 : samples;

/** Number of generations of several questions, as the limits count them. */
export const generationsIn = (questions: readonly Question[]): number =>
  questions.reduce((sum, question) => sum + generationsOf(question), 0);

/** Key for the samples that a question asks for. */
export const samplesNamed = (presentation: Presentation): string =>
  `${firstSampleOf(presentation)}+${presentation.samples}`;

/** Key for the candidates that a question compares, independent of their order. */
export function comparedIn({ shown }: Pick<Presentation, "shown">): string {
  const [i = 0, j = 0] = shown;
  // Pairs are by far the most frequent.
  if (shown.length === 2) return i < j ? `${i},${j}` : `${j},${i}`;
  return [...shown].sort((a, b) => a - b).join();
}
