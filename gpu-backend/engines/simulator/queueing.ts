// Queueing model of one engine: continuous batching as a discrete-event simulation. The caller passes in the
// time.

import { Heap } from "./heap.ts";
import type { EngineParameters } from "./parameters.ts";
import { type Held, KvMemory } from "./prefix-cache.ts";
import type { QueueEvent, QueueTotals, Submission } from "./queue-events.ts";
import { durationOf, type Pace, paceOf, stepsIn } from "./step-time.ts";
import { WaitingLine } from "./waiting-line.ts";

interface Sequence extends Submission {
  id: number;
  state: "waiting" | "prefill" | "decode" | "ended";
  /** Number of tokens generated before decoding began. */
  done: number;
  /** Step count at the start of decoding. */
  from: number;
  /** Context length at the start of decoding. */
  context: number;
  held: Held | null;
}

interface Prefill {
  members: Sequence[];
  /** Step count at which the prefill ends. */
  until: number;
  /** Prompt tokens computed per step. */
  tokens: number;
}

/** Share of memory kept free when a sequence is admitted while others run. */
const WATERMARK = 0.01;
/** Tolerance for equal step counts. */
const EPSILON = 1e-7;

/**
 * Every stream advances by one token per step. The time of a step (step-time.ts) depends on the number of
 * streams, the prompt tokens computed in it, and the context, which grows with the streams. Between two
 * events the time of a step is linear in the number of steps done, so event times and step counts are
 * computed exactly, without ticking. Prompts are prefilled in batches of up to `step_tokens_max` tokens per
 * step alongside the streams, first come, first served. A sequence is admitted when a slot and memory are
 * free. If memory runs out, the youngest sequence is preempted and recomputed later.
 */
export class QueueModel {
  readonly totals: QueueTotals = { preemptions: 0, prompt_tokens: 0, warm_tokens: 0 };
  readonly #p: EngineParameters;
  readonly #memory: KvMemory;
  readonly #sequences = new Map<number, Sequence>();
  readonly #waiting = new WaitingLine<Sequence>();
  /** Sequences with a slot, oldest first. */
  readonly #active = new Set<Sequence>();
  readonly #ends = new Heap<Sequence>();
  #prefill: Prefill | null = null;
  #streams = 0;
  #time = 0;
  #steps = 0;
  /** Sums of `from` and `context` over the streams. */
  #fromSum = 0;
  #contextSum = 0;

  /** @throws RangeError if a single sequence could exceed the memory */
  constructor(parameters: EngineParameters) {
    if (parameters.context_tokens_max > parameters.kv_tokens_max)
      throw new RangeError("context_tokens_max must be at most kv_tokens_max");
    this.#p = parameters;
    this.#memory = new KvMemory({
      tokens_max: parameters.kv_tokens_max,
      block_tokens: parameters.block_tokens,
      caching: parameters.prefix_cache,
    });
  }

  /** Number of sequences with a slot, prefilling or decoding. */
  get running(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Share of the memory in use, 0..1. */
  get kv_usage(): number {
    this.#memory.grown = this.#grown;
    return Math.min(1, this.#memory.used / this.#p.kv_tokens_max);
  }

  /** Adds a sequence to the queue at the model's current time; call `advance` first. */
  submit(id: number, submission: Submission): void {
    const { prompt_tokens, output_tokens } = submission;
    if (!(output_tokens >= 1) || !(prompt_tokens >= 1))
      throw new RangeError("prompt_tokens and output_tokens must be at least 1");
    if (prompt_tokens + output_tokens > this.#p.context_tokens_max)
      throw new RangeError("prompt_tokens + output_tokens must be at most context_tokens_max");
    const sequence: Sequence = { ...submission, id, state: "waiting", done: 0, from: 0, context: 0, held: null };
    this.#sequences.set(id, sequence);
    this.totals.prompt_tokens += prompt_tokens;
    this.#waiting.join(sequence);
    this.#admit();
  }

  /**
   * Removes a sequence at the model's current time and frees its slot and memory. Returns the tokens
   * generated so far.
   */
  abort(id: number): number {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return 0;
    const generated = this.generated(id);
    if (sequence.state === "waiting") this.#waiting.leave(sequence);
    else this.#leave(sequence);
    this.#end(sequence);
    this.#admit();
    return generated;
  }

  /** Complete tokens generated so far; 0 for an unknown sequence. */
  generated(id: number): number {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return 0;
    const since = sequence.state === "decode" ? this.#steps - sequence.from : 0;
    return Math.min(sequence.output_tokens, sequence.done + Math.floor(since + EPSILON));
  }

  /** Time of the next event in seconds if no sequence is added or removed; null if nothing is running. */
  nextAt(): number | null {
    const steps = this.#stepsToEvent();
    return steps === null ? null : this.#time + durationOf(this.#pace, steps);
  }

  /** Advances to `now` (seconds, never backwards) and returns the events until then, in order. */
  advance(now: number): QueueEvent[] {
    const events: QueueEvent[] = [];
    for (;;) {
      const steps = this.#stepsToEvent();
      const at = steps === null ? Number.POSITIVE_INFINITY : this.#time + durationOf(this.#pace, steps);
      if (steps === null || at > now) break;
      this.#steps += steps;
      this.#time = at;
      this.#settle(events);
    }
    if (now > this.#time) {
      if (this.#streams > 0 || this.#prefill !== null) this.#steps += stepsIn(this.#pace, now - this.#time);
      this.#time = now;
    }
    return events;
  }

  get #grown(): number {
    return this.#streams * this.#steps - this.#fromSum;
  }

  get #pace(): Pace {
    const context = this.#contextSum + this.#grown;
    return paceOf(this.#p, { streams: this.#streams, prefill_tokens: this.#prefill?.tokens ?? 0, context });
  }

  #stepsToEvent(): number | null {
    let next = this.#prefill === null ? Number.POSITIVE_INFINITY : this.#prefill.until - this.#steps;
    const end = this.#nextEnd();
    if (end !== null) next = Math.min(next, end - this.#steps);
    if (this.#streams > 0 && this.#active.size > 1) {
      this.#memory.grown = this.#grown;
      next = Math.min(next, this.#memory.free / this.#streams);
    }
    return next === Number.POSITIVE_INFINITY ? null : Math.max(0, next);
  }

  /** The earliest step count at which a stream ends. */
  #nextEnd(): number | null {
    for (let top = this.#ends.peek(); top !== null; top = this.#ends.peek()) {
      const { key, item } = top;
      if (item.state === "decode" && key === endOf(item)) return key;
      this.#ends.pop();
    }
    return null;
  }

  /** Handles all events that are due at the current step count. */
  #settle(events: QueueEvent[]): void {
    for (let end = this.#nextEnd(); end !== null && end <= this.#steps + EPSILON; end = this.#nextEnd()) {
      this.#finish(this.#ends.pop() as Sequence, events);
    }
    const prefill = this.#prefill;
    if (prefill !== null && prefill.until <= this.#steps + EPSILON) {
      this.#prefill = null;
      for (const sequence of prefill.members) this.#beginDecode(sequence, events);
    }
    this.#memory.grown = this.#grown;
    while (this.#memory.free <= EPSILON && this.#active.size > 1) this.#preempt(events);
    this.#admit();
  }

  /** Starts decoding. A prefill yields the first token. */
  #beginDecode(sequence: Sequence, events: QueueEvent[]): void {
    sequence.done++;
    if (sequence.done === 1) events.push({ type: "first_token", id: sequence.id, at: this.#time });
    sequence.state = "decode";
    sequence.from = this.#steps;
    sequence.context = sequence.prompt_tokens + sequence.done;
    this.#streams++;
    this.#fromSum += sequence.from;
    this.#contextSum += sequence.context;
    if (sequence.done >= sequence.output_tokens) this.#finish(sequence, events);
    else this.#ends.push(endOf(sequence), sequence);
  }

  #finish(sequence: Sequence, events: QueueEvent[]): void {
    this.#leave(sequence);
    this.#end(sequence);
    events.push({ type: "finished", id: sequence.id, at: this.#time });
  }

  #end(sequence: Sequence): void {
    sequence.state = "ended";
    this.#sequences.delete(sequence.id);
  }

  /** Frees the slot and the memory of a sequence. */
  #leave(sequence: Sequence): void {
    if (sequence.state === "decode") {
      this.#streams--;
      this.#fromSum -= sequence.from;
      this.#contextSum -= sequence.context;
      // Resets the sums when no stream is left, to remove accumulated rounding errors.
      if (this.#streams === 0) this.#fromSum = this.#contextSum = 0;
    } else if (this.#prefill !== null) {
      this.#prefill.members = this.#prefill.members.filter((member) => member !== sequence);
      if (this.#prefill.members.length === 0) this.#prefill = null;
    }
    this.#active.delete(sequence);
    this.#memory.grown = this.#grown;
    this.#memory.release(sequence.held as Held);
    sequence.held = null;
  }

  #preempt(events: QueueEvent[]): void {
    const youngest = [...this.#active].at(-1) as Sequence;
    const generated = this.generated(youngest.id);
    this.#leave(youngest);
    youngest.done = generated;
    youngest.state = "waiting";
    this.#waiting.rejoin(youngest);
    this.totals.preemptions++;
    events.push({ type: "preempted", id: youngest.id, at: this.#time });
  }

  /**
   * Starts the next prefill if none is running, with as many sequences from the front of the queue as fit
   * into one step, the free slots and the memory.
   */
  #admit(): void {
    if (this.#prefill !== null || this.#waiting.length === 0) return;
    this.#memory.grown = this.#grown;
    this.#memory.trim();
    const members: Sequence[] = [];
    let tokens = 0;
    for (let next = this.#waiting.first; next !== undefined && this.#fits(next); next = this.#waiting.first) {
      const context = next.prompt_tokens + next.done;
      const warm = this.#memory.warmTokens(context, next.blocks);
      if (members.length > 0 && tokens + context - warm > this.#p.step_tokens_max) break;
      this.#waiting.shift();
      if (next.done === 0) this.totals.warm_tokens += warm;
      next.held = this.#memory.take(context, next.blocks);
      next.state = "prefill";
      this.#active.add(next);
      members.push(next);
      tokens += context - warm;
    }
    if (members.length === 0) return;
    const steps = Math.max(1, Math.ceil(tokens / this.#p.step_tokens_max));
    this.#prefill = { members, until: this.#steps + steps, tokens: tokens / steps };
  }

  #fits(sequence: Sequence): boolean {
    if (this.#active.size === 0) return true;
    if (this.#active.size >= this.#p.sequences_max) return false;
    const context = sequence.prompt_tokens + sequence.done;
    const spare = this.#memory.free - WATERMARK * this.#p.kv_tokens_max;
    return this.#memory.growth(context, sequence.blocks) <= spare;
  }
}

const endOf = ({ from, output_tokens, done }: Sequence): number => from + output_tokens - done;
