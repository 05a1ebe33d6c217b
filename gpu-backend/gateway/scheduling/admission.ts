// Decides whether a request is taken: the queue's bound in tokens, its deadline against the measured service,
// draining.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { sumOf } from "../../../src/core/math/stats.ts";
import { MemberList } from "../engines/member-list.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import type { Job } from "./job.ts";
import type { ServiceEstimate } from "./service-estimate.ts";

export interface AdmissionOptions {
  /**
   * Estimated prompt tokens that may wait, over all requests. One request may exceed it alone in an
   * empty queue.
   */
  queue_tokens_max: number;
  estimate: ServiceEstimate;
  /** The engine's places and how many are taken. */
  pool: { readonly capacity: number; readonly in_flight: number };
  now: () => number;
}

/** The requests being answered, and the gate before them. */
export class Admission {
  readonly jobs = new MemberList<Job>();
  readonly #options: AdmissionOptions;
  /** Requests whose body is being read, and those to scalar models. */
  #reading = 0;
  #draining = false;
  #onEmpty: () => void = () => {};

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** From now on every request is refused. Resolves once all taken before have ended. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#lookEmpty();
    });
  }

  /** The job has ended. */
  leave(job: Job): void {
    this.jobs.delete(job);
    this.#lookEmpty();
  }

  #lookEmpty(): void {
    if (this.#draining && this.jobs.size + this.#reading === 0) this.#onEmpty();
  }

  get queue_tokens(): number {
    return this.#sum((job) => job.unsent_tokens);
  }

  /** Generations not yet sent. */
  get queue_depth(): number {
    return this.#sum((job) => job.unsent);
  }

  /**
   * Before a body is read. Call the returned function once it is, or once a request without a job was
   * answered. Throws ApiError `not_ready` or `overloaded`.
   */
  enter(): () => void {
    if (this.#draining) throw refusal("not_ready", "This gateway is shutting down.", 5);
    if (this.jobs.size + this.#reading >= GATEWAY_LIMITS.requests_open_max) {
      const limit = `requests_open_max = ${GATEWAY_LIMITS.requests_open_max}`;
      throw refusal("overloaded", `The limit ${limit} of requests at one time is reached.`, 1);
    }
    this.#reading++;
    return () => {
      this.#reading--;
      this.#lookEmpty();
    };
  }

  /** Takes the job, or throws ApiError `not_ready` or `overloaded` with Retry-After. */
  admit(job: Job): void {
    if (this.#draining) throw refusal("not_ready", "This gateway is shutting down.", 5);
    this.#requirePlace(job);
    this.#requireRoom(job);
    this.#requireTime(job);
    this.jobs.add(job);
  }

  /** Work that no caller waits for leaves room for work that one does. */
  #shareOf(job: Job): number {
    return job.priority > 0 ? GATEWAY_LIMITS.later_share : 1;
  }

  #requirePlace(job: Job): void {
    const requestsMax = GATEWAY_LIMITS.requests_open_max * this.#shareOf(job);
    if (job.priority <= 0 || this.jobs.size < requestsMax) return;
    throw refusal("overloaded", `${requestsMax} requests are open, and this one has a priority above 0.`, 1);
  }

  #requireRoom(job: Job): void {
    const queued = this.queue_tokens;
    const queue_tokens_max = this.#options.queue_tokens_max * this.#shareOf(job);
    if (queued === 0 || queued + job.unsent_tokens <= queue_tokens_max) return;
    const service = this.#options.estimate.serviceMs(job.max_tokens) ?? 0;
    const excess = (queued + job.unsent_tokens - queue_tokens_max) / queued;
    const wait = (Math.min(1, excess) * this.queue_depth * service) / this.#capacity;
    const detail = `${queued} prompt tokens are waiting (estimated), this request adds ${job.unsent_tokens}; the bound is ${queue_tokens_max}.`;
    throw refusal("overloaded", detail, wait / 1000);
  }

  /**
   * Optimistic on purpose: mean service times, places all in use, early stops at their earliest. A request
   * that fails this cannot finish; one that passes may still meet its deadline with some samples open. Where
   * the beginning of a request is of use, the time for that beginning is required: everyone shown once.
   */
  #requireTime(job: Job): void {
    const { estimate, now, pool } = this.#options;
    const service = estimate.serviceMs(job.max_tokens);
    if (service === null) return;
    const left = job.request.deadline_ms - (now() - job.options.arrived_at);
    const time = (generations: number) => service * Math.max(1, generations / this.#capacity);
    const waiting = this.#aheadOf(job) + pool.in_flight / 2;
    const generationsMin = leastOf(job);
    const needs = Math.round(time(waiting + generationsMin));
    if (needs <= left) return;
    const alone = Math.round(time(generationsMin));
    const why =
      alone > left
        ? "Even alone it would not: ask for less in one request, or allow more time."
        : "It would once there is less to do.";
    const detail = `At the measured rate this request needs ${needs} ms, its deadline leaves ${Math.round(left)} ms. ${why}`;
    throw refusal("overloaded", detail, alone > left ? GATEWAY_LIMITS.retry_after_max_s : (needs - left) / 1000);
  }

  /**
   * Generations that go before this request's last one: all of higher priority and all of its party; of
   * every other party of its priority as many as that is together.
   */
  #aheadOf(job: Job): number {
    const { tenant } = job.turn_key;
    const equals = new Map<string, number>([[tenant, 0]]);
    let higher = 0;
    for (const { priority, turn_key, needed } of this.jobs) {
      if (priority < job.priority) higher += needed;
      else if (priority === job.priority) {
        equals.set(turn_key.tenant, (equals.get(turn_key.tenant) ?? 0) + needed);
      }
    }
    const share = (equals.get(tenant) as number) + leastOf(job);
    return [...equals.values()].reduce((sum, needed) => sum + Math.min(needed, share), higher);
  }

  get #capacity(): number {
    return Math.max(1, this.#options.pool.capacity);
  }

  #sum(measure: (job: Job) => number): number {
    let sum = 0;
    for (const job of this.jobs) sum += measure(job);
    return sum;
  }
}

/** Generations without which a request is of no use. */
function leastOf({ needed, request: { in_order, groups } }: Job): number {
  return in_order ? Math.min(needed, sumOf(groups.map(({ candidates }) => candidates.length))) : needed;
}

function refusal(code: "overloaded" | "not_ready", detail: string, retry_after_s: number): ApiError {
  const seconds = Math.min(GATEWAY_LIMITS.retry_after_max_s, Math.max(1, Math.ceil(retry_after_s)));
  return new ApiError(code, detail, { headers: { "retry-after": String(seconds) } });
}
