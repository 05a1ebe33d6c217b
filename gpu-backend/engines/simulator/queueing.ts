// The queueing model of one engine: continuous batching as a discrete-event simulation. Pure: time is a
// number that the caller passes in.

import { Heap } from "./heap.ts";
import type { EngineParameters } from "./parameters.ts";
import { type Held, KvMemory } from "./prefix-cache.ts";
import type { QueueEvent, QueueTotals, Submission } from "./queue-events.ts";
import { durationOf, type Pace, paceOf, stepsIn } from "./step-time.ts";
import { WaitingLine } from "./waiting-line.ts";

interface Sequence extends Submission {
  id: number;
  state: "waiting" | "prefill" | "decode" | "ended";
  /** Tokens generated before `from`. */
  done: number;
  /** The step count at which it began to decode. */
  from: number;
  /** Context when it began to decode. */
  context: number;
  held: Held | null;
}

interface Prefill {
  members: Sequence[];
  /** The step count at which it is done. */
  until: number;
  /** Prompt tokens computed in each step. */
  tokens: number;
}

/** Memory kept free when sequences are let in beside others, as a share. */
const WATERMARK = 0.01;
/** Step counts closer than this are the same. */
const EPSILON = 1e-7;

/**
 * All streams advance one token a step, and a step takes what step-time.ts says: it depends on the
 * streams, the prompt tokens computed beside them and their context, which grows with them. Between
 * two events that is linear in the steps done, so both the time to an event and the steps done by a
 * time are exact: nothing is ticked. Prompts are computed in batches of up to `step_tokens_max`
 * tokens a step beside the streams, first come first served. A sequence is let in when a slot and
 * memory are free; when memory runs out the youngest is put back and computed anew.
 */
export class QueueModel {
  readonly totals: QueueTotals = { preemptions: 0, prompt_tokens: 0, warm_tokens: 0 };
  readonly #p: EngineParameters;
  readonly #memory: KvMemory;
  readonly #sequences = new Map<number, Sequence>();
  readonly #waiting = new WaitingLine<Sequence>();
  /** Sequences with a slot, the oldest first. */
  readonly #active = new Set<Sequence>();
  readonly #ends = new Heap<Sequence>();
  #prefill: Prefill | null = null;
  #streams = 0;
  #time = 0;
  #steps = 0;
  /** Sums over the streams, of `from` and of `context`. */
  #fromSum = 0;
  #contextSum = 0;

  /** @throws RangeError when a single sequence could outgrow the memory */
  constructor(parameters: EngineParameters) {
    if (parameters.context_tokens_max > parameters.kv_tokens_max)
      throw new RangeError("context_tokens_max must fit in kv_tokens_max");
    this.#p = parameters;
    this.#memory = new KvMemory({
      tokens_max: parameters.kv_tokens_max,
      block_tokens: parameters.block_tokens,
      caching: parameters.prefix_cache,
    });
  }

  /** Sequences with a slot, prefilling or decoding. */
  get running(): number {
    return this.#active.size;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Share of the memory held, 0..1. */
  get kv_usage(): number {
    this.#memory.grown = this.#grown;
    return Math.min(1, this.#memory.used / this.#p.kv_tokens_max);
  }

  /** Puts a sequence in the queue at the model's present time: call `advance` first. */
  submit(id: number, submission: Submission): void {
    const { prompt_tokens, output_tokens } = submission;
    if (!(output_tokens >= 1) || !(prompt_tokens >= 1)) throw new RangeError("at least one token each way");
    if (prompt_tokens + output_tokens > this.#p.context_tokens_max) throw new RangeError("longer than the context");
    const sequence: Sequence = { ...submission, id, state: "waiting", done: 0, from: 0, context: 0, held: null };
    this.#sequences.set(id, sequence);
    this.totals.prompt_tokens += prompt_tokens;
    this.#waiting.join(sequence);
    this.#admit();
  }

  /**
   * Takes a sequence out at the model's present time; its slot and memory are free at once. Returns
   * the tokens it generated.
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

  /** Whole tokens generated so far; 0 for a sequence that is not here. */
  generated(id: number): number {
    const sequence = this.#sequences.get(id);
    if (sequence === undefined) return 0;
    const since = sequence.state === "decode" ? this.#steps - sequence.from : 0;
    return Math.min(sequence.output_tokens, sequence.done + Math.floor(since + EPSILON));
  }

  /** When the next event happens if no sequence comes or goes, in seconds; null when nothing runs. */
  nextAt(): number | null {
    const steps = this.#stepsToEvent();
    return steps === null ? null : this.#time + durationOf(this.#pace, steps);
  }

  /** Moves to `now` (seconds, never backwards) and returns what happened on the way, in order. */
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

  /** Handles everything that is due at the present step count. */
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

  /** A prefill yields the first token. */
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

  /** Frees slot and memory. */
  #leave(sequence: Sequence): void {
    if (sequence.state === "decode") {
      this.#streams--;
      this.#fromSum -= sequence.from;
      this.#contextSum -= sequence.context;
      // Sums of many terms drift; an empty engine is a good moment to forget that.
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
   * Starts the next prefill when none runs: as many of the first in the queue as fit in one step,
   * in the slots and in memory.
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
