// Owns one session's fan-out: slots, order, retries, cancellation, counters. Must not know HTTP, prompts or what an answer is.
import { type Answered, failed } from "../core/chat-answer.ts";
import { waitMs } from "../core/chat-retry.ts";
import type { ItemErrorCode } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import type { Generation, HeaderSlots, SessionStats, VerifierJob } from "../core/verifying.ts";
import type { Clock } from "../ports.ts";
import type { Backend } from "./backend.ts";
import { type Countable, CourseLine, type Task } from "./course.ts";
import { createHeaderSlots } from "./header-slots.ts";
import { hedged, type Straggler } from "./hedge.ts";
import { Pressure } from "./pressure.ts";
import { type Outcome, stopCode } from "./refusal.ts";
import { type Schedule, SilenceWatch } from "./silence-watch.ts";

export interface GovernorOptions<J extends Countable = VerifierJob> {
  max_in_flight: number;
  signal: AbortSignal;
  /** clock.now() at which the signal will abort; null when not known. */
  deadline_at: number | null;
  clock: Clock;
  random: () => number;
  schedule: Schedule;
  header_slots?: HeaderSlots | undefined;
  /** See VerifierCall. */
  silence_ms?: number | undefined;
  /** What is shared with the other sessions on the same backend. */
  backend: Backend;
  /**
   * Sends the task's request, until the signal aborts: one signal for the whole session, since a controller a request is a
   * tenth of a request's CPU in workerd. Calls `onHeaders` once when response headers are there (true: not a refusal) or the wait
   * for them has ended, and `onBytes` at least once when the answer has begun. Rejects only for a fault of this program.
   */
  send: (
    task: Task<J>,
    signal: AbortSignal,
    onHeaders: (accepted: boolean) => void,
    onBytes: () => void,
  ) => Promise<Outcome>;
}

/** First come, first served over all jobs; retries that have waited go before work that was never sent. */
export class Governor<J extends Countable = VerifierJob> {
  readonly stats: SessionStats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
  readonly #options: GovernorOptions<J>;
  readonly #pressure: Pressure;
  readonly #line = new CourseLine<J>();
  #ready: Task<J>[] = [];
  readonly #waiting = new Set<Task<J>>();
  readonly #running = new Set<Task<J>>();
  /** Second copies of stragglers, for which there was no slot yet. */
  #stragglers: Straggler[] = [];
  /** The task by which the breaker finds out whether the backend is back; all else waits for it. */
  #probe: Task<J> | null = null;
  #endProbe: () => void = () => {};
  #requestsInFlight = 0;
  readonly #slots: HeaderSlots;
  /** Over all that runs: one answer that moves tells of a backend that works. */
  readonly #silence: SilenceWatch;
  #jobs = 0;
  #stopped: ItemErrorCode | null = null;
  readonly #abort = new AbortController();
  readonly #onAbort = () => this.#stop(stopCode(this.#options.signal.reason));

  constructor(options: GovernorOptions<J>) {
    this.#options = options;
    this.#pressure = new Pressure(options.max_in_flight);
    this.#slots = options.header_slots ?? createHeaderSlots();
    this.#slots.onFree(() => this.#pump());
    this.#silence = new SilenceWatch(options.clock, options.schedule, () => this.#stop("verifier_unavailable"));
  }

  /** See VerifierSession.judge. Rejects only for a fault of this program (a sink or a renderer that throws). */
  judge(job: J, sink: (generation: Generation) => void): Promise<void> {
    let count = 0;
    for (const comparison of job.comparisons) count += comparison.samples;
    if (count === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#line.push(count, { job, sink, resolve, reject });
      if (this.#jobs++ === 0) this.#begin();
      if (this.#options.signal.aborted) this.#onAbort();
      else if (this.#stopped !== null) this.#stop(this.#stopped);
      else this.#pump();
    });
  }

  #begin(): void {
    const { signal, silence_ms } = this.#options;
    signal.addEventListener("abort", this.#onAbort);
    if (silence_ms !== undefined) this.#silence.listen(silence_ms);
  }

  #pump(): void {
    while (this.#stopped === null && this.#slots.free && this.#running.size < Math.floor(this.#pressure.window)) {
      if (this.#hedge()) continue;
      const task = this.#ready.shift() ?? this.#fresh();
      if (task === null) return;
      void this.#run(task);
    }
  }

  /** Sends the second copy of a straggler, where one waits and may go. */
  #hedge(): boolean {
    const straggler = this.#stragglers.shift();
    if (straggler === undefined) return false;
    const { backend, clock } = this.#options;
    const room = this.stats.requests + this.#line.unsent < LIMITS.subrequests_max;
    if (room && straggler.isWanted() && backend.mayHedge(clock.now())) straggler.launch();
    return true;
  }

  /** The next sample never sent before; null when there is none or it is held back. */
  #fresh(): Task<J> | null {
    if (this.#line.unsent === 0 || this.#probe !== null) return null;
    if (!this.#pressure.admitsFresh) {
      if (this.#running.size > 0 || this.#waiting.size > 0) return null;
      const code = this.#pressure.nextRound();
      if (code !== null) {
        this.#stop(code);
        return null;
      }
    }
    const { backend, clock } = this.#options;
    const admission = backend.admit(clock.now());
    if (admission === "stop") {
      this.#giveUpUnsent(failed("verifier_unavailable"));
      return null;
    }
    this.#pressure.sentFresh();
    backend.sent(clock.now());
    const task = this.#line.draw();
    if (admission === "probe") this.#startProbe(task);
    return task;
  }

  async #run(task: Task<J>): Promise<void> {
    this.#running.add(task);
    task.sent_at = this.#options.clock.now();
    try {
      const outcome = await this.#ask(task);
      if (!task.reported) this.#settle(task, outcome);
    } catch (fault) {
      task.course.reject(fault);
      this.#stop("verifier_unavailable");
      this.#running.delete(task);
    }
    this.#pump();
  }

  /** One request for the task, or two when the first is slow to begin. */
  #ask(task: Task<J>): Promise<Outcome> {
    const { backend, schedule, clock, deadline_at } = this.#options;
    const after_ms = backend.stragglerMs(deadline_at === null ? null : deadline_at - clock.now());
    if (after_ms === null) return this.#request(task, this.#abort.signal);
    return hedged((signal, onBytes) => this.#request(task, signal, onBytes), {
      after_ms,
      schedule,
      session: this.#abort.signal,
      whenAllowed: (straggler) => {
        this.#stragglers.push(straggler);
        this.#pump();
      },
      onWin: () => backend.hedgeWon(),
    });
  }

  async #request(task: Task<J>, signal: AbortSignal, onBegun?: () => void): Promise<Outcome> {
    const { stats } = this;
    const { clock, send, backend } = this.#options;
    const sent_at = clock.now();
    this.#slots.take();
    task.request = ++stats.requests;
    stats.in_flight_max = Math.max(stats.in_flight_max, ++this.#requestsInFlight);
    stats.headers_waiting_max = Math.max(stats.headers_waiting_max, this.#slots.waiting);
    let begun = false;
    const onBytes = () => {
      this.#silence.heard();
      if (begun) return;
      begun = true;
      task.begun = true;
      backend.began(clock.now() - sent_at);
      if (task === this.#probe) this.#probed(true);
      onBegun?.();
    };
    try {
      return await send(task, signal, this.#onHeaders, onBytes);
    } finally {
      this.#requestsInFlight--;
      // The slower copy counts by how long it was waited for: without it the percentile would forget the stragglers it is there to tell.
      if (!begun && task.begun) backend.began(clock.now() - sent_at);
    }
  }

  /** A probe that does not even begin to be answered in time has failed. */
  #startProbe(task: Task<J>): void {
    this.#probe = task;
    this.#endProbe = this.#options.schedule(() => this.#probed(false), LIMITS.breaker_probe_ms);
  }

  /** The breaker's question is answered, so all that waited for it may go. */
  #probed(good: boolean): void {
    const { backend, clock } = this.#options;
    this.#probe = null;
    this.#endProbe();
    backend.ended(good, clock.now(), true);
    this.#pump();
  }

  readonly #onHeaders = (accepted: boolean) => {
    if (accepted) this.#pressure.accepted();
    this.#slots.giveBack();
  };

  #settle(task: Task<J>, outcome: Outcome): void {
    const { refusal } = outcome;
    const { backend, clock } = this.#options;
    if (refusal === "verifier_overloaded") backend.refused(clock.now());
    if (task === this.#probe) this.#probed(!outcome.backend_failed);
    else backend.ended(!outcome.backend_failed, clock.now(), false);
    if (refusal === null) this.#pressure.completed();
    else this.#pressure.refused(refusal, task.request, this.stats.requests, this.#running.size);
    this.#running.delete(task);
    const wait = refusal === null ? null : this.#retryWait(task, outcome.retry_after_ms);
    if (wait === null) this.#report(task, outcome.answered);
    else this.#retryLater(task, wait, outcome.answered);
  }

  #retryLater(task: Task<J>, wait: number, answered: Answered): void {
    this.#waiting.add(task);
    task.unschedule = this.#options.schedule(() => {
      this.#waiting.delete(task);
      if (this.#options.backend.isClosed(this.#options.clock.now())) {
        this.#ready.push(task);
        this.stats.retries++;
      } else this.#report(task, answered);
      this.#pump();
    }, wait);
  }

  /** How long to wait before the task is sent again, ms; null when it must not be. */
  #retryWait(task: Task<J>, retryAfter: number | null): number | null {
    const { clock, deadline_at, random, backend } = this.#options;
    if (++task.failures > LIMITS.retries_max) return null;
    if (this.stats.requests + this.#line.unsent + this.#waiting.size + this.#ready.length >= LIMITS.subrequests_max)
      return null;
    const wait = waitMs(task.failures + this.#pressure.rounds, retryAfter, random);
    if (wait === null || (deadline_at !== null && clock.now() + wait >= deadline_at)) return null;
    return backend.mayRetry(clock.now()) ? wait : null;
  }

  #report(task: Task<J>, answered: Answered): void {
    if (task.reported) return;
    task.reported = true;
    const { course, comparison, sample } = task;
    const latency_ms = task.request === 0 ? 0 : Math.max(0, this.#options.clock.now() - task.sent_at);
    try {
      course.sink({ comparison: comparison.id, sample, ...answered, latency_ms, backend: this.#options.backend.name });
    } catch (fault) {
      course.reject(fault);
    }
    if (--course.open > 0) return;
    course.resolve();
    if (--this.#jobs > 0) return;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#silence.end();
  }

  /** Ends everything: running requests are aborted, and all that is left is reported with `code`. */
  #stop(code: ItemErrorCode): void {
    this.#stopped ??= code;
    this.#abort.abort();
    this.#stragglers = [];
    this.#tellOfSilence(code);
    const answered = failed(this.#stopped);
    for (const task of this.#waiting) task.unschedule?.();
    const left = [...this.#running, ...this.#waiting, ...this.#ready];
    this.#waiting.clear();
    this.#ready = [];
    for (const task of left) this.#report(task, answered);
    this.#giveUpUnsent(answered);
  }

  /** A request that the end finds without a first byte after long is as bad a sign as a refused connection. */
  #tellOfSilence(code: ItemErrorCode): void {
    const { backend, clock } = this.#options;
    if (this.#probe !== null) backend.probeLost();
    this.#probe = null;
    this.#endProbe();
    if (code === "cancelled") return;
    for (const { begun, sent_at } of this.#running) {
      if (!begun && clock.now() - sent_at >= LIMITS.breaker_silence_ms) backend.ended(false, clock.now(), false);
    }
  }

  #giveUpUnsent(answered: Answered): void {
    while (this.#line.unsent > 0) this.#report(this.#line.draw(), answered);
  }
}
