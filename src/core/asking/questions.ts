// Questions to a verifier: which candidates are shown, in which order, with which preset, and how many
// samples are drawn.

import { LIMITS } from "../faults/limits.ts";
import { isSummarised } from "../judges/presets/table.ts";
import type { PromptSlots } from "../judges/prompt-job.ts";
import type { TestRuns } from "../judges/test-runs.ts";

/** A question as planned by a schedule: the candidates to show together, in this order. */
export interface Presentation {
  /**
   * Indices of classes (distinct candidates) in a plan, of candidates in a job. The first is shown under
   * letter A.
   */
  shown: readonly number[];
  /** Number of generations to sample, 1..64. */
  samples: number;
  /** Number of the first sample, default 0. Sample numbers seed the engine. */
  first_sample?: number;
  /**
   * `majority`: samples that cannot change the majority may be skipped and are reported as `saved`. Allowed
   * only for a question that decides its pair alone. Default `all`.
   */
  stop?: "majority" | "all";
  /** The question repeats one whose answers were unreadable, using new sample numbers. */
  reask?: true;
  /**
   * True if the question tests which candidate keeps the verifier from answering; its verdict decides no
   * comparison.
   */
  trial?: true;
}

/**
 * First sample number of re-asks. The regular samples of a comparison have lower numbers: two orders, each
 * with the maximum number of samples.
 */
export const REASK_FROM = 2 * LIMITS.samples_max;

/**
 * Sample-number offset for each repetition of the same list, so that repetitions draw new samples and never
 * reach the next offset. The offset is twice as large as necessary, but changing it would change all seeds.
 */
export const REPEAT_FROM = 2 * REASK_FROM * (1 + LIMITS.reask_max);

/** First sample number of trials, higher than any sample number of a list. */
export const TRIAL_FROM = REPEAT_FROM * 2 * LIMITS.samples_max;

/** One question to a verifier. */
export interface Question extends Presentation {
  /** The kind of backend that answers the question. */
  to: "chat" | "decide" | "scalar" | "prm" | "execute" | "check" | "check_steps";
  /** Name of the preset that words the question; for a checker, the checker's address. */
  preset: string;
  /** Values for the preset's other placeholders. */
  slots?: PromptSlots;
  /**
   * String shown instead of the candidate, to test whether the verifier accepts the question itself
   * (lone-plan.ts).
   */
  bare?: string;
  /**
   * Number of steps, if the solution is shown in numbered steps. An answer that names no valid step is
   * unreadable.
   */
  steps?: number;
  /**
   * True for the first of two turns, whose answer summarises a candidate without judging it
   * (step-summaries.ts).
   */
  summary?: true;
  /** Test cases for a sandbox: sample number i runs case i. */
  runs?: TestRuns;
}

/** A question within a job, with an id that is unique in the job. */
export type JobQuestion = Omit<Presentation, "reask" | "trial"> & {
  id: number;
};

/**
 * Whether a question shows several copies of one candidate, to test whether they fit into the verifier's
 * context (attribution.ts). Its verdict decides nothing.
 */
export const isProbe = ({ shown }: Pick<Presentation, "shown">): boolean => shown[0] === shown[1];

/**
 * Number of generations that a question needs. A summarising first turn is generated once for all samples.
 */
export const generationsOf = ({ samples, preset }: Pick<Question, "samples" | "preset">): number =>
  isSummarised(preset) ? samples + 1 : samples;

/** Key for the samples that a question asks for. */
export const samplesNamed = ({ first_sample = 0, samples }: Presentation): string => `${first_sample}+${samples}`;

/** Key for the candidates that a question compares, independent of their order. */
export function comparedIn({ shown }: Pick<Presentation, "shown">): string {
  const [i = 0, j = 0] = shown;
  // Pairs are by far the most frequent.
  if (shown.length === 2) return i < j ? `${i},${j}` : `${j},${i}`;
  return [...shown].sort((a, b) => a - b).join();
}

/** Whether a question is neither a re-ask nor a trial. */
export const isFirst = ({ reask, trial }: Pick<Presentation, "reask" | "trial">): boolean =>
  reask !== true && trial !== true;

/**
 * Whether a question decides no comparison: probes and trials only locate the cause of a failure, and
 * summaries contain no verdict.
 */
export const isAside = (question: Pick<Question, "shown" | "trial" | "summary">): boolean =>
  isProbe(question) || question.trial === true || question.summary === true;
