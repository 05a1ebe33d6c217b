// One gateway in virtual time: its own scheduler and jobs over the engines of the model, and the processor
// time that answers cost it.
import type { EngineAnswer, EngineCall, EnginePool } from "../../gpu-backend/gateway/engines/port.ts";
import { Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { Scheduler } from "../../gpu-backend/gateway/scheduling/scheduler.ts";
import { ServiceEstimate } from "../../gpu-backend/gateway/scheduling/service-estimate.ts";
import type { VerifyEvent, VerifyRequest } from "../../src/core/wire/verify-protocol.ts";
import { Replicas } from "./engines.ts";
import type { Sample, Samples } from "./samples.ts";
import type { Timeline } from "./timeline.ts";

const NOTHING: EngineAnswer = {
  ...{ answer: "", thinking: "none", finish_reason: null, first_token_ms: null, total_ms: 0 },
  ...{ prompt_tokens: 0, completion_tokens: 0, soft: null, model: null, error: null, retryable: false },
};

/** The engines as the gateway's scheduler asks them. */
class VirtualPool implements Pick<EnginePool, "generate" | "capacity" | "in_flight" | "onRoom"> {
  readonly engines = new Replicas();
  readonly #timeline: Timeline;
  readonly #samples: Samples;
  readonly #cpu_s: number;
  #inFlight = 0;
  /** When the gateway is done with all that ended so far. */
  #freeAt = 0;

  constructor(timeline: Timeline, samples: Samples, cpu_s: number) {
    this.#timeline = timeline;
    this.#samples = samples;
    this.#cpu_s = cpu_s;
  }

  get capacity(): number {
    return this.engines.capacity;
  }

  get in_flight(): number {
    return this.#inFlight;
  }

  onRoom(listener: () => void): void {
    this.engines.onRoom(listener);
  }

  generate({ affinity, seed, signal }: EngineCall): Promise<EngineAnswer> {
    const timeline = this.#timeline;
    const sample = this.#samples.get(affinity, seed);
    const asked_at = timeline.now;
    this.#inFlight++;
    return new Promise((resolve) => {
      let stop: (() => number) | null = null;
      const end = (said: Partial<EngineAnswer>) => {
        signal.removeEventListener("abort", cut);
        const done = () => {
          this.#inFlight--;
          resolve({ ...NOTHING, total_ms: (timeline.now - asked_at) * 1_000, ...said });
        };
        this.#freeAt = Math.max(this.#freeAt, timeline.now) + this.#cpu_s;
        timeline.after(this.#freeAt - timeline.now, () => {
          timeline.settle(done);
          this.engines.room();
        });
        this.engines.room();
      };
      const leave = this.engines.place(affinity, (replica) => {
        stop = replica.start({ submission: sample.submission, finished: () => end(answered(sample)) });
      });
      const cut = () => {
        leave();
        end({ error: "cancelled", completion_tokens: stop?.() ?? 0 });
      };
      signal.addEventListener("abort", cut);
    });
  }
}

const answered = ({ answer, submission }: Sample): Partial<EngineAnswer> => ({
  answer,
  thinking: answer === "" ? "unclosed" : "closed",
  finish_reason: answer === "" ? "length" : "stop",
  prompt_tokens: submission.prompt_tokens,
  completion_tokens: submission.output_tokens,
});

export class Gateway {
  readonly engines: Replicas;
  readonly #timeline: Timeline;
  readonly #scheduler: Scheduler;
  readonly #estimate: ServiceEstimate;
  readonly #jobs = new Set<Job>();

  constructor(timeline: Timeline, samples: Samples, cpu_s: number) {
    const pool = new VirtualPool(timeline, samples, cpu_s);
    this.engines = pool.engines;
    this.#timeline = timeline;
    this.#estimate = new ServiceEstimate(() => timeline.now * 1_000);
    this.#scheduler = new Scheduler(pool, this.#estimate);
  }

  /** Generations asked of it and not sent to an engine. */
  get queued(): number {
    return [...this.#jobs].reduce((sum, { needed }) => sum + needed, 0);
  }

  /** Generations sent and not answered. */
  get running(): number {
    return this.#scheduler.running;
  }

  /** How long what is queued would wait at the measured pace, seconds; 0 before one is measured. */
  get wait_s(): number {
    const service = this.#estimate.serviceMs(Number.POSITIVE_INFINITY) ?? 0;
    return (this.queued * service) / 1_000 / this.engines.capacity;
  }

  /** Resolves with the last event's usage. Requests of one party share their turns. */
  ask(request: VerifyRequest, tenant: string): Promise<Extract<VerifyEvent, { type: "done" }>["usage"]> {
    const now = () => this.#timeline.now * 1_000;
    return new Promise((resolve) => {
      const emit = (event: VerifyEvent) => {
        if (event.type !== "done") return;
        this.#jobs.delete(job);
        this.#scheduler.remove(job);
        this.#timeline.settle(() => resolve(event.usage));
      };
      const job = new Job(request, { tenant, arrived_at: now(), now, emit, full: () => false });
      this.#jobs.add(job);
      this.#scheduler.add(job);
    });
  }
}
