// Runs generations on the replicas: keeps to their capacity, retries with failover, and waits for free slots.
// Independent of HTTP and scheduling.
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import { RetryBudget } from "../../../src/core/load/retry-budget.ts";
import { waitMs } from "../../../src/core/wire/chat-retry.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import { answerOf, chatSettings, withoutAnswer } from "./engine-answer.ts";
import { EngineMetrics } from "./engine-metrics.ts";
import { EngineProbe, type ProbeOptions } from "./engine-probe.ts";
import { abortCode, type Exchange } from "./engine-stream.ts";
import { EngineTokens } from "./engine-tokens.ts";
import type { EngineAnswer, EngineCall, EnginePool, EnginePoolConfig } from "./port.ts";
import { modelsOf, type Readiness, readiness } from "./readiness.ts";
import { choose, type Replica } from "./replicas.ts";

/**
 * How long calls that are not `patient` wait for a replica to recover when none is healthy. After this time
 * they fail immediately.
 */
export const NONE_HEALTHY_WAIT_MS = 5_000;

export interface PoolOptions {
  model: string;
  simulated: boolean;
  tokens: readonly string[];
  timers: Timers;
  random: () => number;
  report: EnginePoolConfig["report"];
}

/** A call that waits for a free slot. */
interface Waiting {
  affinity: string;
  patient: boolean;
  tried: ReadonlySet<Replica>;
  resolve: (replica: Replica | null) => void;
}

/**
 * Evidence that a call's question breaks engines: the number of exchanges that it broke, and the number of
 * the pool's latest exchange when it last broke one.
 */
interface Blame {
  failures: number;
  since: number;
}

export class Pool implements EnginePool {
  readonly #replicas: readonly Replica[];
  readonly #options: PoolOptions;
  readonly #probes: readonly EngineProbe[];
  readonly #tokens: EngineTokens;
  readonly #metrics = new EngineMetrics();
  readonly #retries = new RetryBudget({
    window_ms: LIMITS.retry_budget_window_ms,
    share: LIMITS.retry_budget_percent / 100,
    burst: LIMITS.retry_budget_floor,
  });
  /** Number of exchanges with all replicas so far, and number of the latest answered exchange. */
  #sends = 0;
  #answers = 0;
  readonly #waiting = new Set<Waiting>();
  readonly #sleeping = new Set<() => void>();
  readonly #listeners: (() => void)[] = [];
  #inFlight = 0;
  #capacity = 0;
  #closed = false;
  /** Cancels the timer that ends the wait for a healthy replica; null while a replica is healthy. */
  #endWait: (() => void) | null = null;
  #abandoned = false;

  constructor(replicas: readonly Replica[], options: PoolOptions) {
    this.#replicas = replicas;
    this.#options = options;
    this.#tokens = new EngineTokens(options.tokens);
    this.#probes = replicas.map((replica) => {
      const elsewhere = () => this.#elsewhere(replica);
      const onVocabulary: ProbeOptions["onVocabulary"] = (said) => this.#tokens.learn(replica.engine, said);
      return new EngineProbe(replica, { ...options, elsewhere, onChange: () => this.#changed(), onVocabulary });
    });
    for (const probe of this.#probes) probe.start();
    this.#capacity = this.capacity;
  }

  get capacity(): number {
    const healthy = this.#replicas.filter((replica) => replica.healthy);
    return (healthy.length > 0 ? healthy : this.#replicas).reduce((sum, { cap }) => sum + cap, 0);
  }

  get in_flight(): number {
    return this.#inFlight;
  }

  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async generate(call: EngineCall): Promise<EngineAnswer> {
    const start = this.#options.timers.now();
    this.#inFlight++;
    const answer = await this.#ask(call, start);
    this.#inFlight--;
    this.#metrics.count(answer);
    this.#reportRoom();
    return answer;
  }

  async #ask(call: EngineCall, start: number): Promise<EngineAnswer> {
    const { timers } = this.#options;
    const { max_tokens, anchor, signal, priority, completion } = call;
    const tried = new Set<Replica>();
    const blame: Blame = { failures: 0, since: 0 };
    let settings: string | null = null;
    let refreshed = false;
    let spent = 0;
    for (let failures = 0; ; ) {
      const replica = await this.#place(call, tried);
      if (replica === null) {
        const code = signal.aborted ? abortCode(signal.reason) : "verifier_unavailable";
        return withoutAnswer(code, timers.now() - start, spent);
      }
      settings ??= chatSettings(call, this.#options.model, this.#options.simulated);
      const number = ++this.#sends;
      const asked = { settings, question: call.question, completion, max_tokens, anchor, signal, timers };
      const exchange = await replica.ask(asked, priority);
      if (exchange.verdict === "died") replica.failedAt(call.affinity, this.#elsewhere(replica));
      this.#changed();
      spent += exchange.tokens;
      // The engine had closed the keep-alive connection, which says nothing about its health, so the call is
      // retried once.
      if (exchange.verdict === "stale" && !refreshed) {
        refreshed = true;
        continue;
      }
      tried.add(replica);
      const works = exchange.verdict === "final" && exchange.generation.error !== "verifier_bad_reply";
      if (works && !exchange.hung_up) {
        this.#answers = Math.max(this.#answers, number);
        this.#retries.answered(failures > 0);
      }
      const faulty = this.#isToBlame(exchange, number, blame);
      if (faulty || !(await this.#mayRetry(exchange, ++failures, tried, call))) {
        const asked = { ...call, asked: call.model ?? this.#options.model };
        const answer = answerOf(exchange, asked, start, timers.now(), spent);
        return faulty ? { ...answer, retryable: false } : answer;
      }
      this.#metrics.retried();
    }
  }

  /**
   * Whether the question broke enough exchanges to be the likely cause. Counts unreadable replies, and
   * failures after which a later exchange was answered: an engine that is shutting down also finishes what it
   * has begun.
   */
  #isToBlame({ verdict, generation }: Exchange, number: number, blame: Blame): boolean {
    const unreadable = generation.error === "verifier_bad_reply";
    if (verdict !== "died" && !unreadable) return false;
    if (unreadable || this.#answers > (blame.since || number)) blame.failures++;
    blame.since = this.#sends;
    return blame.failures >= LIMITS.question_failures_max;
  }

  /** Whether another replica is healthy. */
  #elsewhere(replica: Replica): boolean {
    return this.#replicas.some((other) => other !== replica && other.healthy);
  }

  /**
   * Takes a slot at a replica as soon as one is free. Returns null if the call is aborted or no replica is
   * expected to recover.
   */
  #place(call: EngineCall, tried: ReadonlySet<Replica>): Replica | null | Promise<Replica | null> {
    const { affinity, patient, signal } = call;
    if (signal.aborted || (this.#abandoned && !patient) || this.#closed) return null;
    return this.#take({ affinity, tried }) ?? this.#wait({ affinity, patient, tried }, signal);
  }

  #take({ affinity, tried }: Pick<Waiting, "affinity" | "tried">): Replica | null {
    const replica = choose(this.#replicas, affinity, tried);
    replica?.take();
    return replica;
  }

  async #wait(call: Omit<Waiting, "resolve">, signal: AbortSignal): Promise<Replica | null> {
    const { promise, resolve } = Promise.withResolvers<Replica | null>();
    const waiting = { ...call, resolve };
    const onAbort = () => {
      // Must run synchronously: a slot assigned after the abort would be lost.
      this.#waiting.delete(waiting);
      resolve(null);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.add(waiting);
    const replica = await promise;
    signal.removeEventListener("abort", onAbort);
    return replica;
  }

  /** Whether to retry a call. Waits for the backoff first, unless an untried replica is healthy. */
  async #mayRetry(exchange: Exchange, failures: number, tried: Set<Replica>, call: EngineCall): Promise<boolean> {
    const { patient, signal } = call;
    const unreadable = patient && exchange.generation.error === "verifier_bad_reply";
    if ((exchange.verdict === "final" && !unreadable) || (failures > LIMITS.retries_max && !patient)) return false;
    if (signal.aborted || this.#closed) return false;
    if (this.#replicas.some((replica) => replica.healthy && !tried.has(replica))) return true;
    const { random, timers } = this.#options;
    const hint = exchange.retry_after_ms;
    const { deadline_at = Number.POSITIVE_INFINITY } = call;
    if (patient && hint !== null && timers.now() + hint >= deadline_at) return false;
    const wait = waitMs(failures, patient && hint !== null ? Math.min(hint, LIMITS.retry_after_ms_max) : hint, random);
    if (wait === null) return false;
    await this.#sleep(wait, signal);
    // Failover to another replica adds no load to the pool. Asking the same replicas again does, so it needs
    // a retry budget.
    for (let more = this.#retries.take(timers.now()); more > 0; more = this.#retries.take(timers.now())) {
      if (!patient) return false;
      // Jitter, so that waiters do not retry in lockstep.
      await this.#sleep(more + random() * LIMITS.breaker_open_ms, signal);
      if (signal.aborted || this.#closed) return false;
    }
    return true;
  }

  /** Sleeps until the time has passed, the call is aborted, or the pool is closed. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const cancel = this.#options.timers.after(ms, wake);
    signal.addEventListener("abort", wake, { once: true });
    this.#sleeping.add(wake);
    await promise;
    this.#sleeping.delete(wake);
    signal.removeEventListener("abort", wake);
    cancel();
  }

  /** Called when the state, load or cap of a replica may have changed. */
  #changed(): void {
    this.#watchHealth();
    for (const waiting of this.#waiting) {
      const abandoned = this.#abandoned && !waiting.patient;
      const replica = abandoned ? null : this.#take(waiting);
      if (replica === null && !abandoned) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(replica);
    }
    const { capacity } = this;
    const rose = capacity > this.#capacity;
    this.#capacity = capacity;
    if (rose) this.#reportRoom();
  }

  #watchHealth(): void {
    const some = this.#replicas.some((replica) => replica.healthy);
    if (some) {
      this.#endWait?.();
      this.#endWait = null;
      this.#abandoned = false;
    } else if (this.#endWait === null && !this.#closed) {
      this.#endWait = this.#options.timers.after(NONE_HEALTHY_WAIT_MS, () => {
        this.#abandoned = true;
        this.#changed();
      });
    }
  }

  #reportRoom(): void {
    if (this.#inFlight >= this.capacity) return;
    for (const listener of this.#listeners) listener();
  }

  async escape(): Promise<Escape> {
    await Promise.all(this.#probes.map(({ asked }) => asked));
    return this.#tokens.escape;
  }

  async ready(): Promise<Readiness> {
    await this.escape();
    return readiness(this.#replicas, this.#options.model, this.#tokens, this.#options.timers.now);
  }

  async models(): Promise<string[]> {
    const lists = await Promise.all(this.#replicas.map((replica) => modelsOf(replica.engine)));
    return [...new Set(lists.flat())].sort();
  }

  metrics(): string {
    return this.#metrics.render(this.#replicas);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endWait?.();
    for (const probe of this.#probes) probe.stop();
    for (const waiting of this.#waiting) waiting.resolve(null);
    this.#waiting.clear();
    for (const wake of this.#sleeping) wake();
    for (const { engine } of this.#replicas) engine.close();
  }
}
