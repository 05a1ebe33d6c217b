// The pool of sandboxed children: queue, retries after a death, cancellation.
import { availableParallelism } from "node:os";
import { PartyQueue } from "./party-queue.ts";
import type { Job, Language, RunLimits, RunPlan, RunResult } from "./protocol.ts";
import { SandboxWorker } from "./worker.ts";

export interface SandboxOptions {
  /**
   * Child processes; default: as many as there are cores, 2..5. Each takes about 200 MB. One party's
   * programs leave one of them to others, where there is more than one.
   */
  workers?: number;
  python?: boolean;
  javascript?: boolean;
}

export const DEFAULT_LIMITS: RunLimits = { timeout_ms: 2_000, memory_mb: 256, output_bytes: 1_048_576 };

/** After this many time-outs of one program its other runs are taken to time out too. */
const TIMEOUTS_MAX = 2;

export interface Program {
  language: Language;
  source: string;
  /** The party that has it run: parties take turns. Absent: unknown; such runs may take every child. */
  tenant?: string | undefined;
}

/** Jobs of one party that may wait, and how long a new one may have to, by what its jobs took. */
const WAITING_MAX = 256;
const WAIT_MS_MAX = 20_000;

export interface RunRequest extends Program, Partial<RunLimits> {
  stdin: string;
}

interface Queued {
  job: Job;
  signal: AbortSignal | undefined;
  start: (worker: SandboxWorker) => void;
  giveUp: (error: string) => void;
}

export class Sandbox {
  readonly #workers: SandboxWorker[];
  readonly #queue: PartyQueue<Queued>;
  readonly #waiting: (() => void)[] = [];
  #nextId = 1;
  #closed = false;

  /**
   * Starts the children at once and returns before they are warm; runs wait for the first that is.
   */
  constructor(options: SandboxOptions = {}) {
    const count = options.workers ?? Math.min(5, Math.max(2, availableParallelism()));
    const running_max = Math.max(1, count - 1);
    this.#queue = new PartyQueue({ running_max, waiting_max: WAITING_MAX, wait_ms_max: WAIT_MS_MAX });
    const languages: Language[] = [];
    if (options.javascript ?? true) languages.push("javascript");
    if (options.python ?? true) languages.push("python");
    this.#workers = Array.from({ length: count }, () => new SandboxWorker(languages, () => this.#onChange()));
    process.once("exit", this.#onProcessExit);
  }

  get workers(): { total: number; warm: number; broken: number } {
    const count = (state: string) => this.#workers.filter((w) => w.state === state).length;
    return { total: this.#workers.length, warm: count("ready"), broken: count("broken") };
  }

  /** For how long a party has so much waiting that it should bring no more, ms; 0: it may. */
  refusedMs(tenant = ""): number {
    return this.#queue.refusedMs(tenant);
  }

  /** Process ids of the children, for tests and monitoring. */
  get pids(): number[] {
    return this.#workers.flatMap((w) => w.pid ?? []);
  }

  /** Resolves when no child is loading any more. Rejects when none could be loaded. */
  async ready(): Promise<void> {
    while (this.#workers.some((w) => w.state === "loading") && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const broken = this.#workers.find((w) => w.state === "broken");
    if (broken && this.workers.warm === 0)
      throw new Error(`the sandbox could not be loaded: ${broken.detail ?? "no detail"}`);
  }

  /** Runs a program once on one standard input. Never rejects for what the program does. */
  async run(request: RunRequest): Promise<Omit<RunResult, "cells">> {
    const { language, source, stdin, ...limits } = request;
    const [result] = await this.runPlans({ language, source }, [{ stdin, cells: [], as_script: true }], limits);
    if (!result) throw new Error("one plan gives one result");
    const { cells: _, ...rest } = result;
    return rest;
  }

  /**
   * Runs a program once a plan, each from a clean state. One result a plan, in order, whatever
   * happens: plans that could not be run for the sandbox's own fault, or because `signal` was
   * aborted, are `unavailable`.
   */
  async runPlans(
    program: Program,
    plans: readonly RunPlan[],
    limits: Partial<RunLimits> = {},
    signal?: AbortSignal,
  ): Promise<RunResult[]> {
    const set = { ...DEFAULT_LIMITS, ...limits };
    const results: RunResult[] = [];
    let deaths = 0;
    while (results.length < plans.length) {
      const timeouts = results.filter((r) => r.status === "timeout").length;
      const left = plans.slice(results.length);
      if (timeouts >= TIMEOUTS_MAX) {
        results.push(...left.map(() => withoutRun("timeout", `not run: ${timeouts} runs timed out before`)));
        break;
      }
      // One at a time once a run has timed out, so that the limit on time-outs holds.
      const { language, source, tenant = "" } = program;
      const job: Job = {
        language,
        source,
        id: this.#nextId++,
        plans: timeouts > 0 ? left.slice(0, 1) : left,
        limits: set,
      };
      const end = await this.#runJob(job, tenant, results, signal);
      if (end === "killed") results.push(withoutRun("timeout", `no end within ${set.timeout_ms} ms; stopped by force`));
      else if (end === "died" && ++deaths < 2) continue;
      else if (end === "died") {
        deaths = 0;
        results.push(withoutRun("error", "the interpreter crashed"));
      } else if (end !== "done") results.push(...plans.slice(results.length).map(() => withoutRun("unavailable", end)));
    }
    return results.slice(0, plans.length);
  }

  async close(): Promise<void> {
    this.#closed = true;
    process.off("exit", this.#onProcessExit);
    for (const queued of this.#queue.drain()) queued.giveUp("the sandbox is closed");
    await Promise.all(this.#workers.map((w) => w.close()));
    this.#onChange();
  }

  readonly #onProcessExit = () => {
    for (const worker of this.#workers) worker.kill();
  };

  /**
   * Runs what a job still has, pushing results as they come. Resolves how it ended, or why it could
   * not be run.
   */
  #runJob(job: Job, tenant: string, results: RunResult[], signal: AbortSignal | undefined): Promise<string> {
    return new Promise((resolve) => {
      const cancel = { now: () => {} };
      const onAbort = () => cancel.now();
      signal?.addEventListener("abort", onAbort, { once: true });
      const finish = (end: string) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(signal?.aborted && end === "done" ? "cancelled" : end);
      };
      const queued: Queued = { job, signal, start: () => {}, giveUp: finish };
      queued.start = (worker) => {
        let timeouts = 0;
        const started = performance.now();
        cancel.now = () => worker.cancel(job.id);
        const onResult = (_: number, result: RunResult) => {
          results.push(result);
          if (result.status === "timeout" && ++timeouts === 1 && job.plans.length > 1) worker.cancel(job.id);
        };
        worker.run(job, onResult).then(({ end }) => {
          this.#queue.ended(tenant, performance.now() - started);
          finish(end);
          this.#onChange();
        });
      };
      cancel.now = () => {
        this.#queue.delete(tenant, queued);
        finish("cancelled");
      };
      if (this.#closed || signal?.aborted) return finish(this.#closed ? "the sandbox is closed" : "cancelled");
      this.#queue.push(tenant, queued);
      this.#onChange();
    });
  }

  #onChange(): void {
    for (const worker of this.#workers) {
      if (!worker.idle) continue;
      this.#queue.next()?.job.start(worker);
    }
    if (this.#workers.every((w) => w.state === "broken")) {
      for (const queued of this.#queue.drain()) queued.giveUp("no interpreter could be started");
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function withoutRun(status: RunResult["status"], error: string): RunResult {
  return { status, stdout: "", cells: [], stderr_tail: "", error, wall_ms: 0 };
}

/** A sandbox whose interpreters are warm. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = new Sandbox(options);
  try {
    await sandbox.ready();
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
