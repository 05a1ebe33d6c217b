// The simulated engine in real time: the queueing model driven by a clock, with tickets, cancellation and
// counters.
import type { EngineParameters } from "./parameters.ts";
import type { QueueEvent, Submission } from "./queue-events.ts";
import { QueueModel } from "./queueing.ts";

/** Simulated seconds per real second. `instant`: a generation finishes as soon as it is submitted. */
export type Scale = number | "instant";

export interface SimulatorStats {
  /** Questions received. `refused`: questions rejected by a fault or as invalid. */
  requests: number;
  refused: number;
  running: number;
  waiting: number;
  started: number;
  finished: number;
  /** Generations cancelled before their end, by a disconnect or by /abort_request. */
  aborted: number;
  tokens_generated: number;
  prompt_tokens: number;
  /** Prompt tokens found in the prefix cache. */
  warm_tokens: number;
  preemptions: number;
  /** 0..1 */
  kv_usage: number;
}

export interface Ticket {
  readonly id: number;
  readonly rid: string | null;
  readonly output_tokens: number;
  state: "open" | "finished" | "aborted";
  /** Tokens generated in total, set when the ticket is no longer open. */
  generated: number;
}

interface Watch {
  tokens: number;
  resolve: (reached: boolean) => void;
  timer: ReturnType<typeof setTimeout> | null;
}

export interface EngineOptions {
  parameters: EngineParameters;
  scale: Scale;
  /** Clock in milliseconds, with any origin. */
  now: () => number;
  /**
   * `shared`: one timer wakes all waiters. `own`: each waiter has its own timer, for runtimes where a timer
   * ends with the request that set it (Workers).
   */
  pacing: "shared" | "own";
}

/** Interval at which streams check for progress, in real milliseconds. */
const PROGRESS_MS = 20;
const OWN_TICK_MS = 10;

/** @throws RangeError for a scale that is neither a positive number nor `instant` */
export class Engine {
  readonly counts = { requests: 0, refused: 0, started: 0, finished: 0, aborted: 0, tokens: 0, instant_prompt: 0 };
  readonly #model: QueueModel;
  readonly #options: EngineOptions;
  readonly #origin: number;
  readonly #open = new Map<number, Ticket>();
  readonly #watches = new Map<number, Watch>();
  #nextId = 1;
  #timer: { handle: ReturnType<typeof setTimeout>; at: number } | null = null;

  constructor(options: EngineOptions) {
    if (options.scale !== "instant" && !(options.scale > 0))
      throw new RangeError("scale must be a number above 0 or `instant`");
    this.#options = options;
    this.#model = new QueueModel(options.parameters);
    this.#origin = options.now();
  }

  /** Number of questions without a slot. */
  get waiting(): number {
    this.pump();
    return this.#model.waiting;
  }

  get instant(): boolean {
    return this.#options.scale === "instant";
  }

  /** Submits a generation, which gets a slot immediately or waits. */
  submit(submission: Submission, rid: string | null): Ticket {
    this.pump();
    const { output_tokens } = submission;
    const ticket: Ticket = { id: this.#nextId++, rid, output_tokens, state: "open", generated: 0 };
    this.counts.started++;
    if (this.instant) {
      this.counts.instant_prompt += submission.prompt_tokens;
      this.#close(ticket, "finished", output_tokens);
      return ticket;
    }
    this.#model.submit(ticket.id, submission);
    this.#open.set(ticket.id, ticket);
    this.#arm();
    return ticket;
  }

  /** Stops a generation and frees its slot and memory. Does nothing if the generation has ended. */
  abort(ticket: Ticket): void {
    if (ticket.state !== "open") return;
    this.pump();
    if (ticket.state === "open") this.#close(ticket, "aborted", this.#model.abort(ticket.id));
    this.#arm();
  }

  /** Stops the generations with this request id, or all generations. Returns how many were stopped. */
  abortRequests(rid: string | "all"): number {
    const hit = [...this.#open.values()].filter((ticket) => rid === "all" || ticket.rid === rid);
    for (const ticket of hit) this.abort(ticket);
    return hit.length;
  }

  /** Tokens generated so far, as of the last event or progress check. */
  generated(ticket: Ticket): number {
    return ticket.state === "open" ? this.#model.generated(ticket.id) : ticket.generated;
  }

  /**
   * Resolves with true when `tokens` have been generated or the generation has ended, and with false after
   * `timeoutMs` of real time. Only one call at a time per ticket.
   */
  async until(ticket: Ticket, tokens: number, timeoutMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.pump();
    const reached = () => ticket.state !== "open" || this.generated(ticket) >= tokens;
    if (reached()) return true;
    if (this.#options.pacing === "shared") return this.#watch(ticket, tokens, timeoutMs);
    for (let waited = 0; waited < timeoutMs; waited += OWN_TICK_MS) {
      await new Promise((resolve) => setTimeout(resolve, OWN_TICK_MS));
      this.pump();
      if (reached()) return true;
    }
    return false;
  }

  /** Advances the model to the current time. */
  pump(): void {
    if (this.instant) return;
    for (const event of this.#model.advance(this.#now)) this.#handle(event);
  }

  stats(): SimulatorStats {
    this.pump();
    const { counts } = this;
    const { prompt_tokens, warm_tokens, preemptions } = this.#model.totals;
    let partial = 0;
    for (const ticket of this.#open.values()) partial += this.generated(ticket);
    return {
      requests: counts.requests,
      refused: counts.refused,
      running: this.#model.running,
      waiting: this.#model.waiting,
      started: counts.started,
      finished: counts.finished,
      aborted: counts.aborted,
      tokens_generated: counts.tokens + partial,
      prompt_tokens: prompt_tokens + counts.instant_prompt,
      warm_tokens,
      preemptions,
      kv_usage: this.#model.kv_usage,
    };
  }

  /** Aborts all generations and stops the timer. */
  close(): void {
    this.abortRequests("all");
    if (this.#timer !== null) clearTimeout(this.#timer.handle);
    this.#timer = null;
  }

  /** Current time in simulated seconds. */
  get #now(): number {
    return ((this.#options.now() - this.#origin) / 1000) * (this.#options.scale as number);
  }

  #handle({ type, id }: QueueEvent): void {
    const ticket = this.#open.get(id) as Ticket;
    if (type === "finished") this.#close(ticket, "finished", ticket.output_tokens);
    else if (type === "first_token" && this.#watches.get(id)?.tokens === 1) this.#wake(id, true);
  }

  #close(ticket: Ticket, state: "finished" | "aborted", tokens: number): void {
    ticket.state = state;
    ticket.generated = tokens;
    this.counts[state]++;
    this.counts.tokens += tokens;
    this.#open.delete(ticket.id);
    this.#wake(ticket.id, true);
  }

  #watch(ticket: Ticket, tokens: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(() => this.#wake(ticket.id, false), timeoutMs) : null;
      this.#watches.set(ticket.id, { tokens, resolve, timer });
      this.#arm();
    });
  }

  #wake(id: number, reached: boolean): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    this.#watches.delete(id);
    if (watch.timer !== null) clearTimeout(watch.timer);
    watch.resolve(reached);
  }

  /** Sets the shared timer for the next event, or sooner if a stream waits for progress. */
  #arm(): void {
    if (this.#options.pacing === "own") return;
    const next = this.#model.nextAt();
    if (next === null) return;
    const toEvent = ((next - this.#now) / (this.#options.scale as number)) * 1000;
    const delay = Math.max(
      1,
      Math.min(Math.ceil(toEvent), this.#watches.size > 0 ? PROGRESS_MS : Number.POSITIVE_INFINITY),
    );
    const at = this.#options.now() + delay;
    if (this.#timer !== null && this.#timer.at <= at) return;
    if (this.#timer !== null) clearTimeout(this.#timer.handle);
    this.#timer = { at, handle: setTimeout(() => this.#tick(), delay) };
  }

  #tick(): void {
    this.#timer = null;
    this.pump();
    for (const [id, { tokens }] of this.#watches) if (this.#model.generated(id) >= tokens) this.#wake(id, true);
    this.#arm();
  }
}
