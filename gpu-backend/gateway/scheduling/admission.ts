// Admission control for requests: checks the token limit of the queue, the deadline against the measured
// service time, and whether the gateway is draining.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { sumOf } from "../../../src/core/math/stats.ts";
import { MemberList } from "../engines/member-list.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import type { Job } from "./job.ts";
import type { ServiceEstimate } from "./service-estimate.ts";

export interface AdmissionOptions {
  /**
   * Maximum estimated prompt tokens waiting, over all requests. A single request may exceed it if the queue
   * is empty.
   */
  queue_tokens_max: number;
  estimate: ServiceEstimate;
  /** The engine pool's capacity and its generations in flight. */
  pool: { readonly capacity: number; readonly in_flight: number };
  now: () => number;
}

/** Admission control, and the set of requests being answered. */
export class Admission {
  readonly jobs = new MemberList<Job>();
  readonly #options: AdmissionOptions;
  /** Requests whose body is being read, and open requests to scalar models. */
  #reading = 0;
  #draining = false;
  #onEmpty: () => void = () => {};

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Rejects every request from now on. Resolves when all admitted requests have ended. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#lookEmpty();
    });
  }

  /** Removes a job that has ended. */
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

  /** Generations not yet sent to an engine. */
  get queue_depth(): number {
    return this.#sum((job) => job.unsent);
  }

  /**
   * Counts a request as open before its body is read. Call the returned function when the body has been read,
   * or when a request without a job has been answered.
   * @throws ApiError `not_ready` or `overloaded`
   */
  enter(): () => void {
    if (this.#draining) throw refusal("not_ready", "This gateway is shutting down.", 5);
    if (this.jobs.size + this.#reading >= GATEWAY_LIMITS.requests_open_max) {
      const limit = `requests_open_max = ${GATEWAY_LIMITS.requests_open_max}`;
      throw refusal("overloaded", `The limit on concurrent requests is reached: ${limit}.`, 1);
    }
    this.#reading++;
    return () => {
      this.#reading--;
      this.#lookEmpty();
    };
  }

  /** Admits a job. Throws ApiError `not_ready` or `overloaded` with Retry-After. */
  admit(job: Job): void {
    if (this.#draining) throw refusal("not_ready", "This gateway is shutting down.", 5);
    this.#requirePlace(job);
    this.#requireRoom(job);
    this.#requireTime(job);
    this.jobs.add(job);
  }

  /**
   * Share of a limit that a job may use. Background work (priority above 0) leaves the rest for interactive
   * work.
   */
  #shareOf(job: Job): number {
    return job.priority > 0 ? GATEWAY_LIMITS.later_share : 1;
  }

  #requirePlace(job: Job): void {
    const requestsMax = GATEWAY_LIMITS.requests_open_max * this.#shareOf(job);
    if (job.priority <= 0 || this.jobs.size < requestsMax) return;
    const detail = `The limit of ${requestsMax} open requests is reached for requests with a priority above 0.`;
    throw refusal("overloaded", detail, 1);
  }

  #requireRoom(job: Job): void {
    const queued = this.queue_tokens;
    const queue_tokens_max = this.#options.queue_tokens_max * this.#shareOf(job);
    if (queued === 0 || queued + job.unsent_tokens <= queue_tokens_max) return;
    const service = this.#options.estimate.serviceMs(job.max_tokens) ?? 0;
    const excess = (queued + job.unsent_tokens - queue_tokens_max) / queued;
    const wait = (Math.min(1, excess) * this.queue_depth * service) / this.#capacity;
    const detail = `About ${queued} prompt tokens are waiting, and this request adds ${job.unsent_tokens}; the limit is ${queue_tokens_max}.`;
    throw refusal("overloaded", detail, wait / 1000);
  }

  /**
   * Rejects a request that cannot meet its deadline. The estimate is deliberately optimistic: mean service
   * times, all slots in use, early stops as early as possible. An admitted request may still reach its
   * deadline with samples open. If a partial result is useful (`in_order`), only the time to show every
   * candidate once is required.
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
        ? "It would miss the deadline even on an idle gateway: send less per request, or allow more time."
        : "Retry when the gateway is less busy.";
    const detail = `At the measured rate this request needs ${needs} ms, but its deadline leaves ${Math.round(left)} ms. ${why}`;
    throw refusal("overloaded", detail, alone > left ? GATEWAY_LIMITS.retry_after_max_s : (needs - left) / 1000);
  }

  /**
   * Number of generations scheduled before this request's last one: all of higher priority, all of its
   * tenant, and, for each other tenant of the same priority, at most as many as for this tenant.
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

/** Minimum number of generations for a useful result. */
function leastOf({ needed, request: { in_order, groups } }: Job): number {
  return in_order ? Math.min(needed, sumOf(groups.map(({ candidates }) => candidates.length))) : needed;
}

function refusal(code: "overloaded" | "not_ready", detail: string, retry_after_s: number): ApiError {
  const seconds = Math.min(GATEWAY_LIMITS.retry_after_max_s, Math.max(1, Math.ceil(retry_after_s)));
  return new ApiError(code, detail, { headers: { "retry-after": String(seconds) } });
}
