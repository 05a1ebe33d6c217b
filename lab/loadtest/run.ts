// How a run goes: points, repeats and sides in turn, within the run's bounds.
import { hashText } from "../../src/core/math/random.ts";
import type { Arrivals } from "./arrivals.ts";
import { LoadClient } from "./client.ts";
import type { CostFlags } from "./cost.ts";
import type { Work } from "./kinds/kind.ts";
import { KNEE_RULE, kneeOf, nextRate, overloadReasons } from "./knee.ts";
import type { SliceRecorder } from "./record.ts";
import { meanEstimate, summariseSide } from "./side.ts";
import { type FinishedSlice, type Load, runSlice } from "./slice.ts";
import type { Point, QuantileName, Side, Summary } from "./summary-schema.ts";

export interface Endpoint {
  base_url: string;
  headers: Readonly<Record<string, string>>;
  works: readonly Work[];
}

export interface RunPlan {
  target: Endpoint;
  baseline: Endpoint | null;
  loop: "open" | "closed";
  /** Arrivals at a rate; ramps and traces have their own. */
  arrivalsAt: (rate: number) => Arrivals;
  /** Rising. One rate unless it is a sweep; of ramps and traces their mean. */
  rates: readonly number[];
  concurrency: number;
  refine: number;
  warmup_s: number;
  duration_s: number;
  repeats: number;
  timeout_ms: number;
  objective_ms: number;
  connections_max: number;
  slice_requests_max: number;
  requests_max: number;
  seconds_max: number;
  seed: number;
  cost: CostFlags;
}

export type SideName = "target" | "baseline";

/** One slice as it is about to run. */
export interface SliceNote {
  slice: number;
  side: SideName;
  repeat: number;
  rate: number | null;
  concurrency: number | null;
}

/** Looks on. */
export interface RunObserver {
  started(note: SliceNote, recorder: SliceRecorder): void;
  /** The slice's rows and histograms are dropped after this, once its point is summed up. */
  finished(note: SliceNote, slice: FinishedSlice): void;
  measured(point: Point): void;
}

export interface RunResult {
  points: Point[];
  knee: Summary["knee"];
  stopped_by: Summary["stopped_by"];
  spec_hashes: Set<string>;
}

/** Stops the run from inside; the reason becomes `stopped_by`. */
class Bounds {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #requests_left: number;
  stopped_by: Summary["stopped_by"] = null;

  constructor({ requests_max, seconds_max }: RunPlan, signal: AbortSignal) {
    this.#requests_left = requests_max;
    this.#timer = setTimeout(() => this.#stop("seconds_max"), seconds_max * 1000);
    if (signal.aborted) this.#stop("signal");
    else signal.addEventListener("abort", () => this.#stop("signal"), { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get requests_left(): number {
    return this.#requests_left;
  }

  used(requests: number): void {
    this.#requests_left -= requests;
    if (this.#requests_left <= 0) this.#stop("requests_max");
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #stop(reason: Summary["stopped_by"]): void {
    this.stopped_by ??= reason;
    this.#controller.abort();
  }
}

type Sides = Record<SideName, FinishedSlice[]>;

class Run {
  readonly #plan: RunPlan;
  readonly #bounds: Bounds;
  readonly #observer: RunObserver;
  readonly #clients: Record<SideName, LoadClient | null>;
  readonly #points: Point[] = [];
  readonly #specHashes = new Set<string>();
  #slice = 0;

  constructor(plan: RunPlan, bounds: Bounds, observer: RunObserver) {
    this.#plan = plan;
    this.#bounds = bounds;
    this.#observer = observer;
    const client = ({ base_url, headers }: Endpoint) =>
      new LoadClient({ base_url, headers, connections_max: plan.connections_max, timeout_ms: plan.timeout_ms });
    this.#clients = { target: client(plan.target), baseline: plan.baseline && client(plan.baseline) };
  }

  async all(): Promise<RunResult> {
    const { rates, refine, loop } = this.#plan;
    let rate = rates[0] as number | null;
    while (rate !== null && !this.#bounds.signal.aborted) {
      await this.#point(loop === "open" ? rate : null);
      rate = loop === "open" ? nextRate(rates, this.#points, rates.length > 1 ? refine : 0) : null;
    }
    this.#points.sort((a, b) => (a.rate ?? 0) - (b.rate ?? 0));
    const knee = kneeOf(this.#points, KNEE_RULE);
    return { points: this.#points, knee, stopped_by: this.#bounds.stopped_by, spec_hashes: this.#specHashes };
  }

  async close(): Promise<void> {
    await Promise.all([this.#clients.target?.close(), this.#clients.baseline?.close()]);
  }

  /**
   * All repeats at one load. The side that begins alternates, so that neither always finds the
   * machine as the other left it.
   */
  async #point(rate: number | null): Promise<void> {
    const sides: Sides = { target: [], baseline: [] };
    for (let repeat = 0; repeat < this.#plan.repeats; repeat++) {
      const order: SideName[] = repeat % 2 === 0 ? ["target", "baseline"] : ["baseline", "target"];
      for (const side of order) {
        if (this.#bounds.signal.aborted || this.#clients[side] === null) continue;
        sides[side].push(await this.#sliceOf(side, repeat, rate));
      }
    }
    // Stopped in its warm-up: it would count as a rate that holds, and as the knee.
    if (sides.target.every(({ measured_s }) => measured_s === 0)) return;
    const point = this.#summed(sides, rate);
    this.#points.push(point);
    this.#observer.measured(point);
  }

  async #sliceOf(side: SideName, repeat: number, rate: number | null): Promise<FinishedSlice> {
    const plan = this.#plan;
    const load: Load =
      rate === null
        ? { loop: "closed", concurrency: plan.concurrency }
        : { loop: "open", arrivals: plan.arrivalsAt(rate) };
    const note = { slice: this.#slice++, side, repeat, rate, concurrency: rate === null ? plan.concurrency : null };
    const slice = await runSlice({
      slice: note.slice,
      load,
      // Both sides of a repeat get the same arrivals and the same order of items.
      seed: hashText("slice", plan.seed, this.#points.length, repeat)[0],
      warmup_s: plan.warmup_s,
      duration_s: plan.duration_s,
      drain_ms: plan.timeout_ms + 1000,
      requests_max: plan.slice_requests_max,
      requests_left: this.#bounds.requests_left,
      works: (plan[side] as Endpoint).works,
      client: this.#clients[side] as LoadClient,
      signal: this.#bounds.signal,
      onStart: (recorder) => this.#observer.started(note, recorder),
    });
    this.#bounds.used(slice.recorder.rows.length);
    for (const hash of slice.recorder.spec_hashes) this.#specHashes.add(hash);
    this.#observer.finished(note, slice);
    return slice;
  }

  #summed(sides: Sides, rate: number | null): Point {
    const { objective_ms, cost, repeats, concurrency } = this.#plan;
    const target = summariseSide(sides.target, objective_ms, cost);
    const baseline = sides.baseline.length === 0 ? null : summariseSide(sides.baseline, objective_ms, cost);
    const first = this.#points[0];
    return {
      rate,
      concurrency: rate === null ? concurrency : null,
      repeats: Math.min(repeats, sides.target.length),
      target,
      baseline,
      overhead_ms: baseline && overheadOf(target, baseline),
      overloaded: rate === null ? [] : overloadReasons(target, first?.target ?? target, KNEE_RULE),
      baseline_degraded:
        baseline === null || rate === null ? [] : overloadReasons(baseline, first?.baseline ?? baseline, KNEE_RULE),
    };
  }
}

/**
 * Target less baseline, repeat by repeat: the two of a repeat ran one after the other under the
 * same arrivals.
 */
function overheadOf(target: Side, baseline: Side): Point["overhead_ms"] {
  const overheadAt = (name: QuantileName | "mean") =>
    meanEstimate(
      target.latency_ms[name].repeats.flatMap((value, i) => {
        const other = baseline.latency_ms[name].repeats[i];
        return other === undefined ? [] : [value === null || other === null ? null : value - other];
      }),
      Number.NEGATIVE_INFINITY,
    );
  return { p50: overheadAt("p50"), p90: overheadAt("p90"), p99: overheadAt("p99"), mean: overheadAt("mean") };
}

/**
 * Runs the plan to its end, its bounds or the signal; what was measured by then is returned in any
 * case.
 */
export async function runPlan(plan: RunPlan, signal: AbortSignal, observer: RunObserver): Promise<RunResult> {
  const bounds = new Bounds(plan, signal);
  const run = new Run(plan, bounds, observer);
  try {
    return await run.all();
  } finally {
    bounds.end();
    await run.close();
  }
}
