// An accepted request, from its first sample to `done`: selects the next sample, interprets each answer, and
// emits exactly one event per sample.

import { readAnswer } from "../../../src/core/asking/readings.ts";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import { winnerOf } from "../../../src/core/judges/verdicts.ts";
import type { VerifyEvent, VerifyRequest } from "../../../src/core/wire/verify-protocol.ts";
import type { EngineAnswer } from "../engines/port.ts";
import type { TurnKey } from "./fair-ring.ts";
import { type ComparisonWork, planWork } from "./work.ts";

/** `needed` samples are required to decide a comparison; `spare` samples may turn out to be unnecessary. */
export type SampleKind = "needed" | "spare";

/** A sample that was sent. */
export interface Draw {
  job: Job;
  work: ComparisonWork;
  sample: number;
  queue_ms: number;
}

export interface JobOptions {
  /** Name under which a request takes turns. All requests of one call from the edge share a tenant. */
  tenant: string;
  /** Arrival time of the request, by `now()`. */
  arrived_at: number;
  now: () => number;
  /** Receives every event except `accepted` and `heartbeat`; `done` is the last. */
  emit: (event: VerifyEvent) => void;
  /** Whether the reader is too slow to receive more events. */
  full: () => boolean;
  /** Escapes model text for the engines. Default: the escape for engines that do not report their tokens. */
  escape?: Escape;
}

export class Job {
  readonly request: VerifyRequest;
  readonly options: JobOptions;
  /** The tenant whose turns the job uses, and the job's rank within the tenant. */
  readonly turn_key: TurnKey;
  /** The request's priority, or a better one inherited from another request of the same tenant. */
  priority: number;
  readonly generations: number;
  /** Mean of the generations' token limits. */
  readonly max_tokens: number;
  /**
   * Counters of the remaining work: unsent generations, their estimated prompt tokens, and the unsent
   * generations that are needed even if all votes agree.
   */
  unsent = 0;
  unsent_tokens = 0;
  needed = 0;
  readonly #works: ComparisonWork[];
  /** Comparisons before this index have needed samples only if they are in `#topUps`. */
  #at = 0;
  /** All samples of comparisons before this index have been sent. */
  #spareAt = 0;
  /**
   * Comparisons that need more samples because of their votes so far, in the order in which the need arose.
   */
  readonly #topUps: ComparisonWork[] = [];
  #open: number;
  #running = 0;
  #over = false;
  readonly #usage = { saved: 0, failed: 0, prompt_tokens: 0, completion_tokens: 0, in_flight_max: 0 };

  constructor(request: VerifyRequest, options: JobOptions) {
    this.request = request;
    this.options = options;
    this.priority = request.priority;
    this.turn_key = { tenant: options.tenant, rank: options.arrived_at };
    this.#works = planWork(request, options.escape);
    for (const { ballot, prompt_tokens } of this.#works) {
      this.unsent += ballot.unsent;
      this.unsent_tokens += ballot.unsent * prompt_tokens;
      this.needed += ballot.needed;
    }
    this.generations = this.unsent;
    const tokens = this.#works.reduce((sum, { ballot, max_tokens }) => sum + ballot.unsent * max_tokens, 0);
    this.max_tokens = tokens / this.generations;
    this.#open = this.unsent;
  }

  /** Number of samples for which no event has been emitted yet. */
  get open(): number {
    return this.#open;
  }

  /** Number of samples at the engine, including those being cut. */
  get running(): number {
    return this.#running;
  }

  /** The comparison of the next sample to send; null if there is none or the reader is too slow. */
  peek(kind: SampleKind): ComparisonWork | null {
    if (this.#over || this.unsent === 0 || this.options.full()) return null;
    return kind === "needed" ? this.#needed() : this.#spare();
  }

  #needed(): ComparisonWork | null {
    if (this.needed === 0) return null;
    for (let work = this.#topUps[0]; work !== undefined; work = this.#topUps[0]) {
      if (work.ballot.needed > 0) return work;
      this.#topUps.shift();
    }
    for (let work = this.#works[this.#at]; work !== undefined; work = this.#works[++this.#at]) {
      if (work.ballot.needed > 0) return work;
    }
    return null;
  }

  #spare(): ComparisonWork | null {
    for (let work = this.#works[this.#spareAt]; work !== undefined; work = this.#works[++this.#spareAt]) {
      if (work.ballot.unsent > 0) return work;
    }
    return null;
  }

  /** Takes a sample of the comparison returned by `peek`. */
  draw(work: ComparisonWork): Draw {
    const before = work.ballot.needed;
    const sample = work.draw();
    this.unsent--;
    this.unsent_tokens -= work.prompt_tokens;
    this.needed += work.ballot.needed - before;
    this.#running++;
    this.#usage.in_flight_max = Math.max(this.#usage.in_flight_max, this.#running);
    return { job: this, work, sample, queue_ms: this.options.now() - this.options.arrived_at };
  }

  /** Records the engine's answer to a draw. */
  settle(draw: Draw, answer: EngineAnswer): void {
    const { work, sample } = draw;
    this.#running--;
    if (this.#over) return;
    work.running.delete(sample);
    this.#usage.prompt_tokens += answer.prompt_tokens;
    this.#usage.completion_tokens += answer.completion_tokens;
    if (work.saved !== null) {
      work.saved.completion_tokens += answer.completion_tokens;
      if (work.running.size === 0) this.#reportSaved(work);
    } else {
      if (answer.error === null) this.#verdict(draw, answer);
      else this.#error(work, sample, answer.error, answer.retryable, answer);
      this.#count(work, answer);
    }
    this.#endIfAll();
  }

  #count(work: ComparisonWork, answer: EngineAnswer): void {
    const { ballot, comparison } = work;
    const before = ballot.needed;
    ballot.settle(comparison.stop === "all" ? null : voteOf(answer, this.request));
    if (ballot.decided) {
      this.needed -= before;
      this.#cut(work);
      return;
    }
    this.needed += ballot.needed - before;
    if (before === 0 && ballot.needed > 0) this.#topUps.push(work);
  }

  /** Stops a decided comparison: drops its unsent samples and aborts its running ones. */
  #cut(work: ComparisonWork): void {
    const unsent = work.unsentSamples();
    this.unsent -= unsent.length;
    this.unsent_tokens -= unsent.length * work.prompt_tokens;
    work.ballot.drop();
    work.saved = { samples: [...work.running, ...unsent], completion_tokens: 0 };
    if (work.running.size === 0) this.#reportSaved(work);
    else work.cut("saved");
  }

  /**
   * Ends the request and aborts its running samples. If `code` is not null, reports every remaining sample as
   * an error with that code.
   */
  stop(code: Exclude<ItemErrorCode, "cancelled"> | null): void {
    if (this.#over) return;
    if (code !== null) {
      for (const work of this.#works) {
        if (work.saved !== null) {
          if (work.running.size > 0) this.#reportSaved(work);
          continue;
        }
        for (const sample of [...work.running, ...work.unsentSamples()]) {
          this.#error(work, sample, code, code !== "deadline");
        }
      }
    }
    this.#finish(code !== null);
    for (const work of this.#works) if (work.running.size > 0) work.cut(code ?? "cancelled");
  }

  #verdict({ work, sample, queue_ms }: Draw, answer: EngineAnswer): void {
    this.#open--;
    this.options.emit({
      type: "verdict",
      ...names(work),
      sample,
      answer: answer.answer,
      thinking: answer.thinking,
      finish_reason: answer.finish_reason,
      prompt_tokens: answer.prompt_tokens,
      completion_tokens: answer.completion_tokens,
      queue_ms: tenths(queue_ms),
      first_token_ms: answer.first_token_ms === null ? null : tenths(answer.first_token_ms),
      total_ms: tenths(answer.total_ms),
      ...(this.request.soft && softOf(answer)),
      ...(answer.model !== null && { model: answer.model }),
    });
  }

  #error(
    work: ComparisonWork,
    sample: number,
    code: ItemErrorCode,
    retryable: boolean,
    { reason = null, retry_after_ms }: Pick<EngineAnswer, "reason" | "retry_after_ms"> = {},
  ): void {
    this.#open--;
    this.#usage.failed++;
    const error: Extract<VerifyEvent, { type: "error" }> = { type: "error", ...names(work), sample, code, retryable };
    if (reason !== null) error.reason = reason;
    if (retry_after_ms !== undefined) error.retry_after_ms = Math.round(retry_after_ms);
    this.options.emit(error);
  }

  #reportSaved(work: ComparisonWork): void {
    const { samples, completion_tokens } = work.saved as NonNullable<ComparisonWork["saved"]>;
    this.#open -= samples.length;
    this.#usage.saved += samples.length;
    samples.sort((a, b) => a - b);
    this.options.emit({ type: "saved", ...names(work), samples, completion_tokens });
  }

  #endIfAll(): void {
    if (this.#open === 0 && !this.#over) this.#finish(true);
  }

  #finish(report: boolean): void {
    this.#over = true;
    this.unsent = 0;
    this.unsent_tokens = 0;
    this.needed = 0;
    if (report) this.options.emit({ type: "done", usage: { generations: this.generations, ...this.#usage } });
  }
}

const softOf = ({ soft }: EngineAnswer) => soft ?? { letters: null, coverage: null, written: null };

const names = ({ group, comparison }: ComparisonWork) => ({ group_id: group.id, comparison: comparison.id });

const tenths = (ms: number): number => Math.round(ms * 10) / 10;

/**
 * The position that the answer votes for; `lost` if the sample failed but the edge may retry it; null without
 * a vote. Uses the edge's parser, so that both sides read the same vote.
 */
function voteOf(answer: EngineAnswer, { form, prompt }: VerifyRequest): number | "lost" | null {
  const { error, thinking, finish_reason } = answer;
  if (error !== null && answer.retryable) return "lost";
  const given = { answer: error === null ? answer.answer : null, thinking, finish_reason, error };
  const read = readAnswer(given, 2, form, prompt);
  return winnerOf(read.verdict);
}
