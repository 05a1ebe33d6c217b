// One slice of a run: a target under one load for a while, from warm-up to the last reply.
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { type Arrivals, arrivalTimes } from "./arrivals.ts";
import type { LoadClient } from "./client.ts";
import type { Work } from "./kinds/kind.ts";
import { pace } from "./pacer.ts";
import { SliceRecorder } from "./record.ts";

/**
 * `open`: requests start by the schedule whatever the replies do. `closed`: a fixed number of
 * senders, each waiting for its reply.
 */
export type Load = { loop: "open"; arrivals: Arrivals } | { loop: "closed"; concurrency: number };

export interface SliceOptions {
  /** Number of the slice in its run. */
  slice: number;
  load: Load;
  /** Decides arrivals and the order of the workload's items. */
  seed: number;
  warmup_s: number;
  duration_s: number;
  /** How long what is under way may go on after the last start. */
  drain_ms: number;
  /** A schedule with more arrivals than this is refused. */
  requests_max: number;
  /** No further requests are started after this many. */
  requests_left: number;
  works: readonly Work[];
  client: LoadClient;
  /** Stops early; then what is under way gets `STOP_DRAIN_MS`. */
  signal: AbortSignal;
  /** Called with the recorder once it exists, for a live display. */
  onStart?: (recorder: SliceRecorder) => void;
}

export interface FinishedSlice {
  recorder: SliceRecorder;
  /** Wall-clock time of the slice's start, ms since the epoch. */
  started_at: number;
  /** Where the measured part begins, from the slice's start. */
  window_from_ms: number;
  measured_s: number;
  /** CPU seconds of this process a second, the spin before each start included. */
  cpu_share: number;
  /** Whether it was stopped before its end. */
  stopped: boolean;
}

/** After a stop, replies get this long before they are broken off. */
const STOP_DRAIN_MS = 2_000;

/**
 * A request's mark: of one length, so that every request has the same number of tokens, near
 * enough.
 */
const markOf = (seed: number, slice: number, index: number): string =>
  `${(hashText("mark", seed, slice)[0] >>> 0).toString(16).padStart(8, "0")}-${String(index).padStart(8, "0")}`;

class SliceRun {
  readonly #options: SliceOptions;
  readonly #recorder: SliceRecorder;
  readonly #order: readonly Work[];

  constructor(options: SliceOptions, recorder: SliceRecorder) {
    this.#options = options;
    this.#recorder = recorder;
    this.#order = shuffled(options.works, createRandom(hashText("items", options.seed)));
  }

  #send(index: number, due: number, settled?: () => void): void {
    const { client, seed, slice } = this.#options;
    const fired = performance.now();
    const work = this.#order[index % this.#order.length] as Work;
    client.send(work, markOf(seed, slice, index), due, (outcome) => {
      this.#recorder.add(index, due, fired, outcome);
      settled?.();
    });
    if (client.in_flight > this.#recorder.in_flight_max) this.#recorder.in_flight_max = client.in_flight;
  }

  async open(times: readonly number[], start: number, isCut: boolean): Promise<void> {
    const { warmup_s, duration_s, signal } = this.#options;
    await pace(times, start, (index, due) => this.#send(index, due), signal);
    if (isCut) return;
    // The window stays open to its end: what finishes in it counts as achieved.
    const left = start + (warmup_s + duration_s) * 1000 - performance.now();
    if (left > 0 && !signal.aborted) await sleep(left, undefined, { signal }).catch(() => undefined);
  }

  /** @returns how many requests were started */
  async closed(concurrency: number, start: number): Promise<number> {
    const { warmup_s, duration_s, signal, requests_left } = this.#options;
    const end = start + (warmup_s + duration_s) * 1000;
    let next = 0;
    const sender = async () => {
      while (!signal.aborted && performance.now() < end && next < requests_left) {
        await new Promise<void>((resolve) => this.#send(next++, performance.now(), resolve));
      }
    };
    const senders = Array.from({ length: concurrency }, sender);
    // A stop must not wait for replies: the drain after this gives them up.
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    if (!signal.aborted) await Promise.race([Promise.all(senders), stopped]);
    return next;
  }
}

/**
 * Waits for what is under way. A stop that comes meanwhile shortens the wait, which may be as long
 * as a request's time-out.
 */
async function drained(client: LoadClient, drain_ms: number, signal: AbortSignal): Promise<void> {
  const shorten = () => void client.drain(STOP_DRAIN_MS);
  if (signal.aborted) return client.drain(STOP_DRAIN_MS);
  signal.addEventListener("abort", shorten, { once: true });
  await client.drain(drain_ms);
  signal.removeEventListener("abort", shorten);
}

/**
 * Runs it to its end. @throws RangeError when the schedule has more arrivals than `requests_max`
 */
export async function runSlice(options: SliceOptions): Promise<FinishedSlice> {
  const { load, warmup_s, duration_s, seed, signal, client } = options;
  const total_s = warmup_s + duration_s;
  const due = load.loop === "open" ? arrivalTimes(load.arrivals, total_s, seed, options.requests_max) : [];
  const times = due.slice(0, options.requests_left);
  const cpu = process.cpuUsage();
  const [start, started_at] = [performance.now(), Date.now()];
  const window = { from: warmup_s * 1000, to: total_s * 1000 };
  const recorder = new SliceRecorder(options.slice, start, window);
  options.onStart?.(recorder);
  const run = new SliceRun(options, recorder);
  // Fewer requests were left than the load would take: the load ends with the last of them, so the window
  // ends with it.
  let isCut = times.length < due.length;
  if (load.loop === "open") await run.open(times, start, isCut);
  else isCut = (await run.closed(load.concurrency, start)) === options.requests_left;
  const elapsed = performance.now() - start;
  if (signal.aborted || isCut) recorder.cutWindow(elapsed);
  const { user, system } = process.cpuUsage(cpu);
  await drained(client, options.drain_ms, signal);
  return {
    recorder,
    started_at,
    window_from_ms: window.from,
    measured_s: recorder.measured_s,
    cpu_share: (user + system) / 1000 / elapsed,
    stopped: signal.aborted,
  };
}
