// Defines what is kept of each request, and of all requests of a slice: rows, histograms, counts.
import { build, type Histogram } from "hdr-histogram-js";
import type { Outcome } from "./client.ts";
import type { Reading } from "./kinds/kind.ts";

/** One line of requests.jsonl; times in ms, `_at` from the slice's start. */
export interface RequestRow extends Omit<Reading, "fault" | "split" | "spec_hash"> {
  slice: number;
  index: number;
  /** Not counted: sent before the measured part began. */
  warm_up: boolean;
  due_at: number;
  /** How late the generator itself was. */
  schedule_error_ms: number;
  /** From the intended start until the request was on a connection; null when it never was. */
  wait_ms: number | null;
  first_byte_ms: number | null;
  /** From the intended start to the last byte. */
  latency_ms: number;
  /** From the connection to the last byte: what a closed loop would have seen. */
  service_ms: number | null;
  status: number | null;
  error: string | null;
  split: Reading["split"];
}

/** Microseconds, three significant digits, up to an hour. */
export const newHistogram = (): Histogram =>
  build({ bitBucketSize: 32, autoResize: true, lowestDiscernibleValue: 1, highestTrackableValue: 3_600_000_000 });

const record = (histogram: Histogram, ms: number) => histogram.recordValue(Math.max(1, Math.round(ms * 1000)));

/** Ends that say nothing of the target: this side broke the request off. */
const OURS = "unfinished";

export interface SliceWindow {
  /** From the slice's start, ms. What is due or ends inside counts. */
  from: number;
  to: number;
}

/**
 * Collects a slice. What counts is due inside the window; what was completed ended inside it,
 * whenever due.
 */
export class SliceRecorder {
  readonly rows: RequestRow[] = [];
  /**
   * Latencies of requests that were answered or timed out; a time-out counts with the time it took to give
   * up, which is a lower bound.
   */
  readonly latency = newHistogram();
  readonly service = newHistogram();
  readonly schedule_error = newHistogram();
  readonly spec_hashes = new Set<string>();
  readonly #slice: number;
  readonly #window: SliceWindow;
  readonly #start: number;
  in_flight_max = 0;

  /** @param start on performance.now()'s clock */
  constructor(slice: number, start: number, window: SliceWindow) {
    this.#slice = slice;
    this.#start = start;
    this.#window = window;
  }

  /**
   * Ends the window early, at a time from the slice's start. What was due later is left out from
   * now on.
   */
  cutWindow(to: number): void {
    this.#window.to = Math.min(this.#window.to, to);
  }

  get measured_s(): number {
    return Math.max(0, (this.#window.to - this.#window.from) / 1000);
  }

  add(index: number, due: number, fired: number, outcome: Outcome): void {
    const { reading, sent_at, first_byte_at, ended_at, error, status } = outcome;
    const { fault: _, spec_hash, ...counts } = reading;
    const since = (at: number | null, from: number) => (at === null ? null : at - from);
    // To the nanosecond: adding the start and taking it away again must not move a request over the
    // window's edge.
    const due_at = Math.round((due - this.#start) * 1e6) / 1e6;
    const row: RequestRow = {
      slice: this.#slice,
      index,
      warm_up: due_at < this.#window.from,
      due_at,
      schedule_error_ms: fired - due,
      wait_ms: since(sent_at, due),
      first_byte_ms: since(first_byte_at, due),
      latency_ms: ended_at - due,
      service_ms: sent_at === null ? null : ended_at - sent_at,
      status,
      error,
      ...counts,
    };
    this.rows.push(row);
    if (spec_hash !== null) this.spec_hashes.add(spec_hash);
    if (!this.isCounted(row)) return;
    record(this.schedule_error, row.schedule_error_ms);
    if (error !== null && error !== "timeout") return;
    record(this.latency, row.latency_ms);
    if (row.service_ms !== null) record(this.service, row.service_ms);
  }

  /**
   * Whether a request was answered inside the window, whenever it was due: what a throughput is
   * made of.
   */
  isCompleted({ due_at, latency_ms, error }: Pick<RequestRow, "due_at" | "latency_ms" | "error">): boolean {
    const ended = due_at + latency_ms;
    return error === null && ended >= this.#window.from && ended < this.#window.to;
  }

  /** Requests answered inside the window. */
  get completed(): number {
    return this.rows.reduce((sum, row) => sum + (this.isCompleted(row) ? 1 : 0), 0);
  }

  /** Whether a row is measured: due inside the window, and not broken off by this side. */
  isCounted({ due_at, error }: Pick<RequestRow, "due_at" | "error">): boolean {
    return due_at >= this.#window.from && due_at < this.#window.to && error !== OURS;
  }
}
