// Questions to a verifier: which candidates are shown, in which order, with which preset, and how many
// samples are drawn.

import { LIMITS } from "../faults/limits.ts";
import { isSummarised } from "../judges/presets/table.ts";
import type { PromptSlots } from "../judges/prompt-job.ts";
import type { TestRuns } from "../judges/test-runs.ts";

/** A question as a schedule plans it: candidates to show together, in this order. */
export interface Presentation {
  /** Class indices in a plan, candidate indices in a job. The first is shown under letter A. */
  shown: readonly number[];
  /** Number of generations to sample, 1..64. */
  samples: number;
  /** Number of the first sample, default 0. Sample numbers seed the engine. */
  first_sample?: number;
  /**
   * `majority`: samples that cannot change the majority may be skipped and are reported as `saved`; only for
   * a question that decides its pair by itself. Default `all`.
   */
  stop?: "majority" | "all";
  /** The question repeats one whose answers were unreadable, with fresh sample numbers. */
  reask?: true;
  /**
   * The question tests which candidate keeps the verifier from answering; its verdict decides no comparison.
   */
  trial?: true;
}

/**
 * First sample number of re-asks. Regular samples of a comparison stay below: two orders, each with the
 * maximum number of samples.
 */
export const REASK_FROM = 2 * LIMITS.samples_max;

/**
 * Sample-number offset for each repetition of the same list, so that repetitions draw new samples and never
 * reach the next offset. The value is twice the necessary size; changing it would change all seeds.
 */
export const REPEAT_FROM = 2 * REASK_FROM * (1 + LIMITS.reask_max);

/** First sample number of trials; samples of lists stay below. */
export const TRIAL_FROM = REPEAT_FROM * 2 * LIMITS.samples_max;

/** One question to a verifier. */
export interface Question extends Presentation {
  /** The kind of backend that answers the question. */
  to: "chat" | "decide" | "scalar" | "prm" | "execute" | "check" | "check_steps";
  /** Name of the preset that words the question; for a checker, its address. */
  preset: string;
  /** Additional texts for the preset's placeholders. */
  slots?: PromptSlots;
  /**
   * Text shown instead of the candidate, to test whether the verifier accepts the question itself
   * (lone-plan.ts).
   */
  bare?: string;
  /** Number of steps, if the solution is shown in steps. An answer that names no valid step is unreadable. */
  steps?: number;
  /** First of two turns: the answer summarises a candidate without judging it (step-summaries.ts). */
  summary?: true;
  /** Test cases for a sandbox: sample number i runs case i. */
  runs?: TestRuns;
}

/** A question within a job, with an id that is unique in the job. */
export type JobQuestion = Omit<Presentation, "reask" | "trial"> & {
  id: number;
};

/**
 * Whether a question shows several copies of one candidate to test whether they fit (attribution.ts). The
 * verdict decides nothing.
 */
export const isProbe = ({ shown }: Pick<Presentation, "shown">): boolean => shown[0] === shown[1];

/** Number of generations that a question needs. The first of two turns is generated once for all samples. */
export const generationsOf = ({ samples, preset }: Pick<Question, "samples" | "preset">): number =>
  isSummarised(preset) ? samples + 1 : samples;

/** Key of the samples that a question asks for. */
export const samplesNamed = ({ first_sample = 0, samples }: Presentation): string => `${first_sample}+${samples}`;

/** Key of the candidates that a question compares, independent of their order. */
export const comparedIn = ({ shown }: Pick<Presentation, "shown">): string => [...shown].sort((a, b) => a - b).join();

/** Whether a question is a regular one: neither a re-ask nor a trial. */
export const isFirst = ({ reask, trial }: Pick<Presentation, "reask" | "trial">): boolean =>
  reask !== true && trial !== true;

/**
 * Whether a question decides no comparison: probes and trials locate the cause of a failure, and summaries
 * are not verdicts.
 */
export const isAside = (question: Pick<Question, "shown" | "trial" | "summary">): boolean =>
  isProbe(question) || question.trial === true || question.summary === true;
