// The engines in virtual time: the simulator's continuous batching behind the gateway's own choice among
// replicas and its adaptive cap.
import type { EngineParameters } from "../../gpu-backend/engines/simulator/parameters.ts";
import type { Submission } from "../../gpu-backend/engines/simulator/queue-events.ts";
import { QueueModel } from "../../gpu-backend/engines/simulator/queueing.ts";
import { Aimd } from "../../gpu-backend/gateway/engines/aimd.ts";
import { choose } from "../../gpu-backend/gateway/engines/replicas.ts";
import type { Timeline } from "./timeline.ts";

/** As the gateway's probe asks for the gauges. */
const GAUGES_EVERY_S = 1;

/** A generation as the engine has it. */
export interface Work {
  submission: Submission;
  /** Called when it ends by itself. */
  finished: () => void;
}

/** One engine on one GPU. */
export class Replica {
  readonly engine: { readonly label: string };
  readonly aimd: Aimd;
  readonly model: QueueModel;
  healthy = true;
  readonly #timeline: Timeline;
  readonly #running = new Map<number, Work>();
  readonly #onRoom: () => void;
  #ids = 0;
  #wake = Number.POSITIVE_INFINITY;
  #gauged = false;
  /** Seconds with something to do, up to the last look. */
  busy_s = 0;
  #seen = 0;

  constructor(timeline: Timeline, label: string, parameters: EngineParameters, inFlight: number, onRoom: () => void) {
    this.engine = { label };
    this.#timeline = timeline;
    this.aimd = new Aimd(inFlight);
    this.model = new QueueModel(parameters);
    this.#onRoom = onRoom;
  }

  get cap(): number {
    return this.aimd.cap;
  }

  get in_flight(): number {
    return this.#running.size;
  }

  get has_room(): boolean {
    return this.healthy && this.in_flight < this.cap;
  }

  /** @returns what ends it before its time and says how many tokens it had generated */
  start(work: Work): () => number {
    this.#advance();
    const id = ++this.#ids;
    this.#running.set(id, work);
    this.model.submit(id, work.submission);
    this.#arm();
    this.#watchGauges();
    return () => {
      this.#advance();
      if (!this.#running.delete(id)) return work.submission.output_tokens;
      const generated = this.model.abort(id);
      this.#arm();
      return generated;
    };
  }

  #advance(): void {
    const { now } = this.#timeline;
    if (this.in_flight > 0) this.busy_s += now - this.#seen;
    this.#seen = now;
    for (const { type, id } of this.model.advance(now)) {
      if (type !== "finished") continue;
      const work = this.#running.get(id);
      this.#running.delete(id);
      work?.finished();
    }
  }

  #arm(): void {
    const next = this.model.nextAt();
    if (next === null || next === this.#wake) return;
    this.#wake = next;
    this.#timeline.after(Math.max(0, next - this.#timeline.now), () => {
      if (this.#wake !== next) return;
      this.#wake = Number.POSITIVE_INFINITY;
      this.#advance();
      this.#arm();
    });
  }

  #watchGauges(): void {
    if (this.#gauged) return;
    this.#gauged = true;
    this.#timeline.after(GAUGES_EVERY_S, () => {
      this.#gauged = false;
      if (this.in_flight === 0) return;
      const before = this.cap;
      this.aimd.sample({ kind: "vllm", waiting: this.model.waiting, kv_use: this.model.kv_usage }, this.in_flight);
      if (this.cap > before) this.#onRoom();
      this.#watchGauges();
    });
  }
}

const NONE: ReadonlySet<Replica> = new Set();

/** Engines that one gateway, or a balancer before them, sends to. */
export class Replicas {
  readonly all: Replica[] = [];
  readonly #waiting: { affinity: string; take: (replica: Replica) => void }[] = [];
  readonly #listeners: (() => void)[] = [];

  onRoom(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Some engine may take more than before. */
  room(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const replica = choose(this.all, first.affinity, NONE);
      if (replica === null) break;
      this.#waiting.shift();
      first.take(replica);
    }
    for (const listener of this.#listeners) listener();
  }

  /** Generations that may be in flight over all that take work. */
  get capacity(): number {
    return Math.max(
      1,
      this.#sum((replica) => (replica.healthy ? replica.cap : 0)),
    );
  }

  get in_flight(): number {
    return this.#sum((replica) => replica.in_flight) + this.#waiting.length;
  }

  /** The engine for a group's generation as soon as one has room. */
  place(affinity: string, take: (replica: Replica) => void): () => void {
    const replica = this.#waiting.length > 0 ? null : choose(this.all, affinity, NONE);
    if (replica !== null) {
      take(replica);
      return () => {};
    }
    const entry = { affinity, take };
    this.#waiting.push(entry);
    return () => {
      const at = this.#waiting.indexOf(entry);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  /** The least used one, as a balancer without gateway chooses. */
  get idlest(): Replica {
    const able = this.all.filter(({ healthy }) => healthy);
    return able.reduce((best, replica) => (replica.in_flight < best.in_flight ? replica : best));
  }

  #sum(measure: (replica: Replica) => number): number {
    let sum = 0;
    for (const replica of this.all) sum += measure(replica);
    return sum;
  }
}
