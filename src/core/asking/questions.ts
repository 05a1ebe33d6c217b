// What is put to a verifier: which candidates it is shown, in what order, in whose words, how
// often.

import { LIMITS } from "../faults/limits.ts";
import { isSummarised } from "../judges/presets/table.ts";
import type { PromptSlots } from "../judges/prompt-job.ts";
import type { TestRuns } from "../judges/test-runs.ts";

/** A schedule's question: candidates beside each other, in this order. */
export interface Presentation {
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
  /** Asked to find who keeps the verifier from answering: its verdict decides no comparison. */
  trial?: true;
}

/**
 * Sample numbers that no first asking of any comparison reaches: both orders, each with the most
 * samples.
 */
export const REASK_FROM = 2 * LIMITS.samples_max;

/**
 * Offset where the same candidates are a list once more, so that each of its answers is another sample.
 * Repetitions of the list before never reach it. Twice what would suffice, which seeds depend on.
 */
export const REPEAT_FROM = 2 * REASK_FROM * (1 + LIMITS.reask_max);

/** Sample numbers of trials: samples of lists never reach them. */
export const TRIAL_FROM = REPEAT_FROM * 2 * LIMITS.samples_max;

/** One question to a verifier. */
export interface Question extends Presentation {
  /** The kind of backend that answers it. */
  to: "chat" | "decide" | "scalar" | "prm" | "execute" | "check" | "check_steps";
  /** Name of the preset whose words ask it; of a checker its address. */
  preset: string;
  /** Texts that the preset needs besides. */
  slots?: PromptSlots;
  /** Shown in its candidate's place, to see whether the question itself is taken (lone-plan.ts). */
  bare?: string;
  /** For a solution shown in steps: their number. An answer that names none of them is unreadable. */
  steps?: number;
  /** First of two turns: the answer summarises a candidate and does not judge it (step-summaries.ts). */
  summary?: true;
  /** For questions to a sandbox: each sample is one of these cases, by its number. */
  runs?: TestRuns;
}

/** A question within a job, by an id unique there. */
export type JobQuestion = Omit<Presentation, "reask" | "trial"> & {
  id: number;
};

/**
 * Whether it shows several copies of one candidate, to see whether they fit (attribution.ts); its
 * verdict decides nothing.
 */
export const isProbe = ({ shown }: Pick<Presentation, "shown">): boolean => shown[0] === shown[1];

/** Generations that a question asks for: of two turns the first is asked once for all its samples. */
export const generationsOf = ({ samples, preset }: Pick<Question, "samples" | "preset">): number =>
  isSummarised(preset) ? samples + 1 : samples;

/** Which samples a question asks, as a key. */
export const samplesNamed = ({ first_sample = 0, samples }: Presentation): string => `${first_sample}+${samples}`;

/** The candidates that it compares, in whatever order they are shown, as a key. */
export const comparedIn = ({ shown }: Pick<Presentation, "shown">): string => [...shown].sort((a, b) => a - b).join();

/** Asked as the schedule wants it: neither again nor as a trial. */
export const isFirst = ({ reask, trial }: Pick<Presentation, "reask" | "trial">): boolean =>
  reask !== true && trial !== true;

/**
 * Whether a question decides no comparison: probes and trials find the candidate behind a failure, and a
 * summary is not a verdict.
 */
export const isAside = (question: Pick<Question, "shown" | "trial" | "summary">): boolean =>
  isProbe(question) || question.trial === true || question.summary === true;
