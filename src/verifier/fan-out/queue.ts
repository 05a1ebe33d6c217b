// The unsent samples of a session: a queue of jobs from which each sample is drawn once. Until it is sent, a
// sample is just two indices. Independent of slots, retries and HTTP.

import type { JobQuestion } from "../../core/asking/questions.ts";
import type { GenerationParts } from "../../core/wire/chat-answer.ts";
import type { Generation, VerifierJob } from "../../core/wire/questions.ts";

/**
 * The part of a job that the governor needs. The adapter defines what a sample is for its backend: one
 * generation or more.
 */
export type Countable = Pick<VerifierJob, "questions">;

/** A job in progress. */
export interface RunningJob<J extends Countable = VerifierJob> {
  readonly job: J;
  readonly sink: (generation: Generation) => void;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
  next_question: number;
  next_sample: number;
  /** `unsent`: generations not sent yet. `open`: generations not reported yet. */
  unsent: number;
  open: number;
}

/** A sample that was sent at least once. */
export interface Task<J extends Countable = VerifierJob> {
  readonly running: RunningJob<J>;
  readonly question: JobQuestion;
  readonly sample: number;
  failures: number;
  /** Failures that the question itself may have caused. */
  own_failures: number;
  /**
   * `number`: the backend's number for the task's latest request. `failed_number`: the number of the
   * backend's latest request when the task last failed.
   */
  number: number;
  failed_number: number;
  /** The last failure. */
  last: GenerationParts | null;
  /** Whether this request tests if the backend has recovered. */
  probe: boolean;
  request: number;
  sent_at: number;
  /** Whether the answer has begun. */
  begun: boolean;
  reported: boolean;
}

/** Samples that were never sent, first come, first served over all jobs. */
export class SampleLine<J extends Countable> {
  #running: RunningJob<J>[] = [];
  #unsent = 0;

  /** Number of samples in the queue. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Appends a job with `count` samples, at least 1. */
  push(count: number, work: Pick<RunningJob<J>, "job" | "sink" | "resolve" | "reject">): void {
    this.#running.push({ ...work, next_question: 0, next_sample: 0, unsent: count, open: count });
    this.#unsent += count;
  }

  /** Removes the first sample; the queue must not be empty. */
  draw(): Task<J> {
    const running = this.#running[0] as RunningJob<J>;
    const question = running.job.questions[running.next_question] as JobQuestion;
    const sample = (question.first_sample ?? 0) + running.next_sample;
    running.next_sample++;
    if (running.next_sample === question.samples) {
      running.next_question++;
      running.next_sample = 0;
    }
    this.#unsent--;
    running.unsent--;
    if (running.unsent === 0) this.#running.shift();
    return taskOf(running, question, sample);
  }
}

const taskOf = <J extends Countable>(running: RunningJob<J>, question: JobQuestion, sample: number): Task<J> => ({
  running,
  question,
  sample,
  failures: 0,
  own_failures: 0,
  number: 0,
  failed_number: 0,
  last: null,
  probe: false,
  request: 0,
  sent_at: 0,
  begun: false,
  reported: false,
});
