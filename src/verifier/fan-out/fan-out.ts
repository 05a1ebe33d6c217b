// The fan-out of one session: slots, order, retries, cancellation and counters. Independent of HTTP, prompts
// and answers.

import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { failed, type GenerationParts } from "../../core/wire/chat-answer.ts";
import { createHeaderSlots } from "../../core/wire/header-slots.ts";
import type { Generation, HeaderSlots, SessionStats, VerifierJob } from "../../core/wire/questions.ts";
import { hedged, type Straggler } from "./hedge.ts";
import type { GovernorOptions } from "./options.ts";
import { Probe } from "./probe.ts";
import { type Countable, SampleLine, type Task } from "./queue.ts";
import { type AttemptResult, stopCode } from "./refusal.ts";
import { RetryLine } from "./retry-line.ts";
import { retryWait } from "./retry-wait.ts";
import { coalesced, SilenceWatch, type StartTimer } from "./stall-watchdog.ts";
import { Pressure } from "./window.ts";

/**
 * Serves all jobs first come, first served; due retries go before samples that were never sent. A governor is
 * patient if it has a deadline and no other backend to fail over to: failures of the backend or the network
 * then never end a question, which is retried until the deadline as fast as the retry budget, the breaker and
 * the back-off allow. Only a question that itself causes its failures ends earlier.
 */
export class Governor<J extends Countable = VerifierJob> {
  #headersTimed = 0;
  readonly stats: SessionStats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
  readonly #options: GovernorOptions<J>;
  readonly #pressure: Pressure;
  readonly #line = new SampleLine<J>();
  readonly #retries: RetryLine<J>;
  readonly #patient: boolean;
  readonly #running = new Set<Task<J>>();
  /** Second copies of slow requests, waiting for a slot. */
  #stragglers: Straggler[] = [];
  readonly #copies = new Set<AbortController>();
  readonly #timer: StartTimer;
  readonly #probe: Probe<J>;
  #requestsInFlight = 0;
  readonly #slots: HeaderSlots;
  /** Watches all running requests together: progress of any answer shows that the backend works. */
  readonly #silence: SilenceWatch;
  #jobs = 0;
  #stopped: ItemErrorCode | null = null;
  readonly #abort = new AbortController();
  readonly #onAbort = () => this.#stop(stopCode(this.#options.signal.reason));

  constructor(options: GovernorOptions<J>) {
    this.#options = options;
    this.#pressure = new Pressure(options.max_in_flight);
    this.#patient = options.deadline_at !== null && options.hand_on !== true;
    this.#probe = new Probe(options.schedule, (task) => this.#probed(task, false));
    this.#retries = new RetryLine(options.schedule, () => this.#pump());
    this.#slots = options.header_slots ?? createHeaderSlots();
    this.#slots.onFree(() => this.#pump());
    this.#silence = new SilenceWatch(options.clock, options.schedule, () => this.#stop("verifier_unavailable"));
    this.#timer = coalesced(options.schedule, options.clock);
  }

  /** See VerifierSession.judge. Rejects only if a sink or a renderer throws. */
  judge(job: J, sink: (generation: Generation) => void): Promise<void> {
    const count = job.questions.reduce((sum, { samples }) => sum + samples, 0);
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
      const task = this.#nextRetry() ?? this.#fresh();
      if (task === null) return;
      void this.#run(task);
    }
  }

  /** Sends the second copy that has waited longest, if it is still wanted and the budget allows it. */
  #hedge(): boolean {
    const straggler = this.#stragglers.shift();
    if (straggler === undefined) return false;
    const { backend, clock, tenant } = this.#options;
    const room = this.stats.requests + this.#line.unsent < LIMITS.subrequests_max;
    if (room && straggler.isWanted() && backend.mayHedge(clock.now(), tenant)) straggler.launch();
    return true;
  }

  /** The next retry that may be sent; null if none is due or retries are held back. */
  #nextRetry(): Task<J> | null {
    const { backend, clock, tenant } = this.#options;
    while (this.#retries.isDue && !this.#probe.isOut) {
      const now = clock.now();
      const admission = backend.admit(now, tenant);
      const wait = admission === "stop" ? backend.waitMs(now, tenant) : admission === "go" ? backend.retryMs(now) : 0;
      if (admission !== "stop" && wait === 0) {
        const task = this.#retries.shift();
        this.stats.retries++;
        if (admission === "probe") this.#probe.start(task);
        return task;
      }
      if (this.#patient) {
        this.#retries.wakeIn(wait);
        return null;
      }
      const task = this.#retries.shift();
      this.#report(task, task.last as GenerationParts);
    }
    return null;
  }

  /** The next sample that was never sent; null if there is none or new samples are held back. */
  #fresh(): Task<J> | null {
    if (this.#line.unsent === 0 || this.#probe.isOut) return null;
    if (!this.#pressure.admitsFresh) {
      if (this.#running.size > 0 || this.#retries.size > 0) return null;
      const code = this.#pressure.nextRound(this.#patient);
      if (code !== null) {
        this.#stop(code);
        return null;
      }
    }
    const { backend, clock, tenant } = this.#options;
    const admission = backend.admit(clock.now(), tenant);
    if (admission === "stop") {
      if (this.#patient) this.#retries.wakeIn(backend.waitMs(clock.now(), tenant));
      else this.#giveUpUnsent(failed("verifier_unavailable"));
      return null;
    }
    this.#pressure.sentFresh();
    backend.sent(clock.now());
    const task = this.#line.draw();
    if (admission === "probe") this.#probe.start(task);
    return task;
  }

  async #run(task: Task<J>): Promise<void> {
    this.#running.add(task);
    task.sent_at = this.#options.clock.now();
    task.number = this.#options.backend.number();
    try {
      const outcome = await this.#ask(task);
      if (!task.reported) this.#settle(task, outcome);
    } catch (fault) {
      task.running.reject(fault);
      this.#stop("verifier_unavailable");
      this.#running.delete(task);
    }
    this.#pump();
  }

  /** Sends one request for the task, and a second one if the first is slow to begin. */
  #ask(task: Task<J>): Promise<AttemptResult> {
    const { backend, deadline_at } = this.#options;
    const after_ms = backend.stragglerMs(deadline_at === null ? null : deadline_at - task.sent_at);
    if (after_ms === null) return this.#request(task, this.#abort.signal);
    return hedged((signal, onBytes) => this.#request(task, signal, onBytes), {
      ...{ after_ms, schedule: this.#timer, copies: this.#copies },
      whenAllowed: (straggler) => {
        this.#stragglers.push(straggler);
        this.#pump();
      },
      onWin: () => backend.hedgeWon(),
    });
  }

  async #request(task: Task<J>, signal: AbortSignal, onBegun?: () => void): Promise<AttemptResult> {
    const { stats } = this;
    const { clock, send, backend } = this.#options;
    const sent_at = clock.now();
    this.#slots.take();
    task.request = ++stats.requests;
    stats.in_flight_max = Math.max(stats.in_flight_max, ++this.#requestsInFlight);
    stats.headers_waiting_max = Math.max(stats.headers_waiting_max, this.#slots.waiting);
    const onHeaders = this.#slots.free ? this.#onHeaders : this.#timed(sent_at);
    let begun = false;
    const onBytes = () => {
      this.#silence.heard();
      if (begun) return;
      begun = true;
      task.begun = true;
      backend.began(clock.now() - sent_at);
      // Reported even if the probe has already been given up.
      if (task.probe) this.#probed(task, true);
      onBegun?.();
    };
    try {
      return await send(task, signal, onHeaders, onBytes);
    } finally {
      this.#requestsInFlight--;
      // The slower copy counts with its elapsed time. Otherwise the percentile would ignore exactly the
      // stragglers that it must detect.
      if (!begun && task.begun) backend.began(clock.now() - sent_at);
    }
  }

  /** Reports the probe's result to the breaker and resumes the samples that waited for it. */
  #probed(task: Task<J>, good: boolean): void {
    const { backend, clock, tenant } = this.#options;
    if (good) task.probe = false;
    this.#probe.end(task);
    backend.ended(good, clock.now(), true, tenant);
    this.#pump();
  }

  readonly #onHeaders = (accepted: boolean) => {
    if (accepted) this.#pressure.accepted();
    this.#slots.giveBack();
  };

  /** Measures how long headers take while other requests wait for the slot. */
  readonly #timed = (sent_at: number) => (accepted: boolean) => {
    const { headers_ms = 0 } = this.stats;
    const more_ms = this.#options.clock.now() - sent_at - headers_ms;
    if (accepted) this.stats.headers_ms = headers_ms + more_ms / ++this.#headersTimed;
    this.#onHeaders(accepted);
  };

  #settle(task: Task<J>, outcome: AttemptResult): void {
    const { refusal, generation, backend_failed } = outcome;
    const { backend, clock, tenant } = this.#options;
    if (refusal === "verifier_overloaded") backend.refused(clock.now());
    if (this.#probe.is(task)) this.#probed(task, !backend_failed);
    else backend.ended(!backend_failed, clock.now(), false, tenant);
    if (refusal === null && !backend_failed) backend.answered(task.number, task.failures > 0);
    if (refusal === null) this.#pressure.completed();
    else this.#pressure.refused(refusal, task.request, this.stats.requests, this.#running.size);
    this.#running.delete(task);
    const wait = generation.error === null ? null : this.#retryWait(task, outcome);
    task.last = generation;
    if (wait === null) this.#report(task, generation);
    else this.#retries.push(task, wait);
  }

  #retryWait(task: Task<J>, outcome: AttemptResult): number | null {
    const requests = this.stats.requests + this.#line.unsent + this.#retries.size;
    const { rounds } = this.#pressure;
    return retryWait(task, outcome, { ...this.#options, patient: this.#patient, rounds, requests });
  }

  #report(task: Task<J>, answered: GenerationParts): void {
    if (task.reported) return;
    task.reported = true;
    const { running, question, sample } = task;
    const latency_ms = task.request === 0 ? 0 : Math.max(0, this.#options.clock.now() - task.sent_at);
    try {
      running.sink({ question: question.id, sample, ...answered, latency_ms, backend: this.#options.backend.name });
    } catch (fault) {
      running.reject(fault);
    }
    if (--running.open > 0) return;
    running.resolve();
    if (--this.#jobs > 0) return;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#silence.end();
  }

  /** Stops the session: aborts running requests and reports everything left with `code`. */
  #stop(code: ItemErrorCode): void {
    this.#stopped ??= code;
    for (const controller of [this.#abort, ...this.#copies]) controller.abort();
    this.#stragglers = [];
    this.#reportSilence(code);
    const answered = failed(this.#stopped);
    const waiting = this.#retries.drain();
    // At the deadline, the cause of an earlier failure is more informative than `deadline`.
    const explains = this.#patient && this.#stopped === "deadline";
    for (const task of [...this.#running, ...waiting]) this.#report(task, (explains ? task.last : null) ?? answered);
    const { backend, clock, tenant } = this.#options;
    const open = backend.waitMs(clock.now(), tenant) > 0 ? "verifier_unavailable" : null;
    const why = explains ? (this.#pressure.refusing ?? open) : null;
    this.#giveUpUnsent(why === null ? answered : failed(why));
  }

  /** Records a backend failure for each request that received no first byte for too long. */
  #reportSilence(code: ItemErrorCode): void {
    const { backend, clock, tenant } = this.#options;
    if (this.#probe.isOut) backend.probeLost(clock.now(), tenant);
    this.#probe.end();
    if (code === "cancelled") return;
    for (const { begun, sent_at } of this.#running) {
      if (!begun && clock.now() - sent_at >= LIMITS.breaker_silence_ms)
        backend.ended(false, clock.now(), false, tenant);
    }
  }

  #giveUpUnsent(answered: GenerationParts): void {
    while (this.#line.unsent > 0) this.#report(this.#line.draw(), answered);
  }
}
