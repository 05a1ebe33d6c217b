// Decides whose job runs next in a sandbox, and how much one party may have waiting.
import { FairRing } from "../../../gateway/scheduling/fair-ring.ts";

interface QueueLimits {
  /** Jobs of one party that may run at a time; those without a party may take every place. */
  running_max: number;
  /** Jobs of one party that may wait. */
  waiting_max: number;
  /** Longest wait that a new job of a party may have before it, by what its jobs took, ms. */
  wait_ms_max: number;
}

interface Line<T> {
  tenant: string;
  jobs: T[];
  running: number;
  /** The duration of its jobs, ms: a running mean. */
  mean_ms: number;
}

/** Time that a party gets in one turn, ms. */
const QUANTUM_MS = 50;
const MEAN_MS_FIRST = 50;
/** Share of the latest job in the mean. */
const LATEST = 0.25;

/**
 * Jobs by party. Turns go round by time: who has slow jobs gets as long as who has fast ones, and
 * never every place, so that a job of another party starts at once.
 */
export class PartyQueue<T> {
  readonly #limits: QueueLimits;
  /** Lines of parties that have jobs. */
  readonly #lines = new Map<string, Line<T>>();
  readonly #ring = new FairRing<Line<T>>(QUANTUM_MS, ({ tenant }) => ({ tenant, rank: 0 }));

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** For how long the party should stay away, ms; 0: it may bring another job. */
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

  /** The job whose turn it is, which is taken to run from now on; null when none may. */
  next(): { job: T; tenant: string } | null {
    const line = this.#ring.next((candidate) => (this.#mayRun(candidate) ? candidate.mean_ms : null));
    const job = line?.jobs.shift();
    if (line === null || job === undefined) return null;
    line.running++;
    return { job, tenant: line.tenant };
  }

  /** A job that ran is over. */
  ended(tenant: string, took_ms: number): void {
    const line = this.#lines.get(tenant);
    if (line === undefined) return;
    line.running--;
    line.mean_ms += LATEST * (Math.max(1, took_ms) - line.mean_ms);
    this.#tidy(line);
  }

  /** Takes a job out that waits. */
  delete(tenant: string, job: T): void {
    const line = this.#lines.get(tenant);
    const at = line?.jobs.indexOf(job) ?? -1;
    if (line === undefined || at < 0) return;
    line.jobs.splice(at, 1);
    this.#tidy(line);
  }

  /** Takes all out that wait. */
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
