// The order of a session's work: jobs in line, each sample drawn once, as two indices until it is sent. Must
// not know slots, retries or HTTP.

import type { JobQuestion } from "../../core/asking/questions.ts";
import type { GenerationParts } from "../../core/wire/chat-answer.ts";
import type { Generation, VerifierJob } from "../../core/wire/questions.ts";

/**
 * The parts of a job that the governor knows. The adapter decides what one sample is to the backend, a
 * generation or more.
 */
export type Countable = Pick<VerifierJob, "questions">;

/** One job on its way through the session. */
export interface RunningJob<J extends Countable = VerifierJob> {
  readonly job: J;
  readonly sink: (generation: Generation) => void;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
  next_question: number;
  next_sample: number;
  /** Generations not yet sent, and not yet reported. */
  unsent: number;
  open: number;
}

/** One sample that was sent at least once. */
export interface Task<J extends Countable = VerifierJob> {
  readonly running: RunningJob<J>;
  readonly question: JobQuestion;
  readonly sample: number;
  failures: number;
  /** Failures for which the question itself may be to blame. */
  own_failures: number;
  /** Its request's number at the backend, and the backend's latest at its last failure. */
  number: number;
  failed_number: number;
  /** Its last failure. */
  last: GenerationParts | null;
  /** Whether it was sent to find out whether the backend is back. */
  probe: boolean;
  request: number;
  sent_at: number;
  /** Whether its answer has begun. */
  begun: boolean;
  reported: boolean;
}

/** The samples never sent before, first come, first served over all jobs. */
export class SampleLine<J extends Countable> {
  #running: RunningJob<J>[] = [];
  #unsent = 0;

  /** Samples in the line. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Puts a job with `count` samples, at least 1, into the line. */
  push(count: number, work: Pick<RunningJob<J>, "job" | "sink" | "resolve" | "reject">): void {
    this.#running.push({ ...work, next_question: 0, next_sample: 0, unsent: count, open: count });
    this.#unsent += count;
  }

  /** Takes the first sample out of the line, which must hold one. */
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
