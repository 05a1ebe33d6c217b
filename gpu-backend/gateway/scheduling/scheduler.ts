// Decides which request sends next, by priority, fairness between requests, and capacity of the engine.

import { MemberList } from "../engines/member-list.ts";
import type { EngineAnswer, EnginePool } from "../engines/port.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import { FairRing } from "./fair-ring.ts";
import type { Draw, Job, SampleKind } from "./job.ts";
import type { ServiceEstimate } from "./service-estimate.ts";

/** Requests of one priority: a ring for their needed samples and a ring for their spare samples. */
interface Level {
  priority: number;
  needed: FairRing<Job>;
  spare: FairRing<Job>;
}

const KINDS: readonly SampleKind[] = ["needed", "spare"];
const NEEDED: readonly SampleKind[] = ["needed"];

const BROKEN: EngineAnswer = {
  answer: "",
  thinking: "none",
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_token_ms: null,
  total_ms: 0,
  soft: null,
  model: null,
  error: "verifier_unavailable",
  retryable: true,
};

/**
 * Sends as many generations as the pool has capacity for. Lower priorities wait for higher ones; within a
 * priority, tenants take turns by estimated tokens. Spare samples are sent only while the engine is nearly
 * idle: under load they would cost more tokens than early stopping saves (docs/verify-protocol.md).
 */
export class Scheduler {
  readonly #pool: Pick<EnginePool, "generate" | "capacity" | "in_flight" | "onRoom">;
  readonly #estimate: ServiceEstimate;
  readonly #levels: Level[] = [];
  readonly #jobs = new MemberList<Job>();
  #running = 0;
  #pumping = false;

  constructor(pool: Pick<EnginePool, "generate" | "capacity" | "in_flight" | "onRoom">, estimate: ServiceEstimate) {
    this.#pool = pool;
    this.#estimate = estimate;
    pool.onRoom(() => this.pump());
  }

  /** Generations sent to the pool and not yet answered. */
  get running(): number {
    return this.#running;
  }

  /** Adds a new job. All requests of its tenant get the best priority among them. */
  add(job: Job): void {
    for (const other of this.#jobs) {
      if (other.turn_key.tenant !== job.turn_key.tenant) continue;
      job.priority = Math.min(job.priority, other.priority);
      if (other.priority === job.priority) continue;
      this.#delist(other);
      other.priority = job.priority;
      this.#enlist(other);
    }
    this.#jobs.add(job);
    this.wake(job);
  }

  /** Resumes a job whose reader has caught up. */
  wake(job: Job): void {
    this.#enlist(job);
    this.pump();
  }

  /** Removes a job that has nothing more to send. */
  remove(job: Job): void {
    this.#jobs.delete(job);
    this.#delist(job);
  }

  #delist(job: Job): void {
    const level = this.#levels.find(({ priority }) => priority === job.priority);
    for (const kind of KINDS) level?.[kind].delete(job);
  }

  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#taken < this.#pool.capacity) {
        const draw = this.#next();
        if (draw === null) return;
        void this.#send(draw);
      }
    } finally {
      this.#pumping = false;
    }
  }

  get #taken(): number {
    return Math.max(this.#pool.in_flight, this.#running);
  }

  #enlist(job: Job): void {
    for (const kind of KINDS) if (job.peek(kind) !== null) this.#levelOf(job)[kind].add(job);
  }

  /** Levels are never removed: there is at most one per priority, and an empty level costs nothing. */
  #levelOf({ priority }: Job): Level {
    let level = this.#levels.find((other) => other.priority === priority);
    if (level === undefined) {
      const ring = () => new FairRing<Job>(GATEWAY_LIMITS.quantum_tokens, (job) => job.turn_key);
      level = { priority, needed: ring(), spare: ring() };
      this.#levels.push(level);
      this.#levels.sort((a, b) => a.priority - b.priority);
    }
    return level;
  }

  #next(): Draw | null {
    const kinds = this.#taken < this.#pool.capacity * GATEWAY_LIMITS.spare_share ? KINDS : NEEDED;
    for (const level of this.#levels) {
      for (const kind of kinds) {
        const job = level[kind].next((candidate) => this.#cost(candidate, kind));
        const work = job?.peek(kind);
        if (job != null && work != null) return job.draw(work);
      }
    }
    return null;
  }

  #cost(job: Job, kind: SampleKind): number | null {
    const work = job.peek(kind);
    if (work === null) return null;
    return work.prompt_tokens + this.#estimate.completionTokens(work.max_tokens);
  }

  async #send(draw: Draw): Promise<void> {
    this.#running++;
    let answer: EngineAnswer;
    try {
      const { options, request, priority } = draw.job;
      const call = draw.work.call(draw.sample, priority);
      answer = await this.#pool.generate({ ...call, deadline_at: options.arrived_at + request.deadline_ms });
    } catch {
      answer = BROKEN;
    }
    this.#running--;
    if (answer.error === null && draw.work.saved === null) {
      this.#estimate.record(answer.total_ms, answer.completion_tokens);
    }
    draw.job.settle(draw, answer);
    this.#enlist(draw.job);
    this.pump();
  }
}
