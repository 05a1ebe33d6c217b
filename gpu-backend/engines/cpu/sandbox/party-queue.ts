// Decides which tenant's job runs next in a sandbox, and limits the waiting jobs per tenant.
import { FairRing } from "../../../gateway/scheduling/fair-ring.ts";

interface QueueLimits {
  /** Maximum concurrent jobs per tenant. Jobs without a tenant may take every slot. */
  running_max: number;
  /** Maximum waiting jobs per tenant. */
  waiting_max: number;
  /** Maximum expected wait of a tenant's new job, based on the duration of its past jobs, in ms. */
  wait_ms_max: number;
}

interface Line<T> {
  tenant: string;
  jobs: T[];
  running: number;
  /** Running mean of the duration of the tenant's jobs, in ms. */
  mean_ms: number;
}

/** Time that a tenant gets per turn, in ms. */
const QUANTUM_MS = 50;
const MEAN_MS_FIRST = 50;
/** Weight of the latest job in the running mean. */
const LATEST = 0.25;

/**
 * Jobs by tenant. Turns are shared by time, so that tenants with slow and with fast jobs get the same total.
 * If there are several slots, a tenant never holds all of them, so a job of another tenant starts
 * immediately.
 */
export class PartyQueue<T> {
  readonly #limits: QueueLimits;
  /** The queues of tenants with waiting or running jobs. */
  readonly #lines = new Map<string, Line<T>>();
  readonly #ring = new FairRing<Line<T>>(QUANTUM_MS, ({ tenant }) => ({ tenant, rank: 0 }));

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** How long the tenant should wait before it sends another job, in ms; 0: no wait. */
  refusedMs(tenant: string): number {
    const line = this.#lines.get(tenant);
    if (line === undefined || tenant === "") return 0;
    const { running_max, waiting_max, wait_ms_max } = this.#limits;
    const wait = (line.jobs.length * line.mean_ms) / running_max;
    return line.jobs.length >= waiting_max || wait > wait_ms_max ? Math.max(1_000, wait / 2) : 0;
  }

  push(tenant: string, job: T): void {
    const line = this.#lines.get(tenant) ?? { tenant, jobs: [], running: 0, mean_ms: MEAN_MS_FIRST };
    this.#lines.set(tenant, line);
    line.jobs.push(job);
    this.#ring.add(line);
  }

  /** Takes the next job and counts it as running; null if no job may run. */
  next(): { job: T; tenant: string } | null {
    const line = this.#ring.next((candidate) => (this.#mayRun(candidate) ? candidate.mean_ms : null));
    const job = line?.jobs.shift();
    if (line === null || job === undefined) return null;
    line.running++;
    return { job, tenant: line.tenant };
  }

  /** Records the end of a job. */
  ended(tenant: string, took_ms: number): void {
    const line = this.#lines.get(tenant);
    if (line === undefined) return;
    line.running--;
    line.mean_ms += LATEST * (Math.max(1, took_ms) - line.mean_ms);
    this.#tidy(line);
  }

  /** Removes a waiting job. */
  delete(tenant: string, job: T): void {
    const line = this.#lines.get(tenant);
    const at = line?.jobs.indexOf(job) ?? -1;
    if (line === undefined || at < 0) return;
    line.jobs.splice(at, 1);
    this.#tidy(line);
  }

  /** Removes and returns all waiting jobs. */
  drain(): T[] {
    const jobs = [...this.#lines.values()].flatMap((line) => line.jobs.splice(0));
    for (const line of this.#lines.values()) this.#tidy(line);
    return jobs;
  }

  #mayRun({ tenant, jobs, running }: Line<T>): boolean {
    return jobs.length > 0 && (tenant === "" || running < this.#limits.running_max);
  }

  #tidy(line: Line<T>): void {
    if (this.#mayRun(line)) this.#ring.add(line);
    else if (line.jobs.length === 0) this.#ring.delete(line);
    if (line.jobs.length === 0 && line.running === 0) this.#lines.delete(line.tenant);
  }
}
