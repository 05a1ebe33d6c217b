// Decides when a job's questions are sent: follow-up questions in batches under high load, without waiting under
// low load.

import type { PooledQuestion } from "./question-pool.ts";
import type { Sequence } from "./sequence.ts";

/** Follow-up questions are sent once they make up this share of the running and waiting ones. */
const BATCH_SHARE = 1 / 4;

export class Sending {
  private ready: Sequence[] = [];
  private running = 0;
  private early: number;
  private readonly sequenceOf = new Map<PooledQuestion, Sequence>();

  /** @param early number of times that questions may be sent before all others are answered */
  constructor(early: number) {
    this.early = early;
  }

  add(sequence: Sequence): void {
    this.ready.push(sequence);
  }

  /** Returns the questions to send now, each once. */
  pending(): PooledQuestion[] {
    const { ready, running } = this;
    const share = Math.max(1, Math.ceil((ready.length + running) * BATCH_SHARE));
    if (ready.length === 0 || (running > 0 && (this.early <= 0 || ready.length < share))) return [];
    if (running > 0) this.early--;
    this.ready = [];
    this.running += ready.length;
    return ready.flatMap((sequence) => {
      for (const entry of sequence.pending) this.sequenceOf.set(entry, sequence);
      return sequence.pending;
    });
  }

  /** Records that a question is answered. Has no effect if called again. */
  answer(entry: PooledQuestion): void {
    const sequence = this.sequenceOf.get(entry);
    this.sequenceOf.delete(entry);
    if (sequence?.answer(entry) !== true) return;
    this.running--;
    sequence.goOn();
  }
}
