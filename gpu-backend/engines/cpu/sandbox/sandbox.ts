// The pool of sandboxed child processes: queue, retries after a crash, and cancellation.
import { availableParallelism } from "node:os";
import { PartyQueue } from "./party-queue.ts";
import type { Job, Language, RunLimits, RunPlan, RunResult } from "./protocol.ts";
import { SandboxWorker } from "./worker.ts";

export interface SandboxOptions {
  /**
   * Number of child processes. Default: the number of cores, within 2..5. Each takes about 200 MB. If there
   * is more than one, a single tenant's programs always leave one free for others.
   */
  workers?: number;
  python?: boolean;
  javascript?: boolean;
}

export const DEFAULT_LIMITS: RunLimits = { timeout_ms: 2_000, memory_mb: 256, output_bytes: 1_048_576 };

/** After this many timeouts of a program, its remaining runs count as timed out. */
const TIMEOUTS_MAX = 2;

export interface Program {
  language: Language;
  source: string;
  /** Tenants take turns. Runs of an unknown tenant (undefined) may use every child process. */
  tenant?: string | undefined;
}

/**
 * Maximum waiting jobs per tenant, and maximum expected wait of a new job, estimated from the duration of
 * past jobs.
 */
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

  /** Starts the child processes and returns before they are ready. Runs wait for the first ready child. */
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

  /** How long a tenant with too many waiting jobs should wait before it sends more, in ms; 0: no wait. */
  refusedMs(tenant = ""): number {
    return this.#queue.refusedMs(tenant);
  }

  /** Process ids of the child processes, for tests and monitoring. */
  get pids(): number[] {
    return this.#workers.flatMap((w) => w.pid ?? []);
  }

  /** Resolves when no child process is loading. Rejects if none could be loaded. */
  async ready(): Promise<void> {
    while (this.#workers.some((w) => w.state === "loading") && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    const broken = this.#workers.find((w) => w.state === "broken");
    if (broken && this.workers.warm === 0)
      throw new Error(`the sandbox could not be loaded: ${broken.detail ?? "no detail"}`);
  }

  /** Runs a program once with the given standard input. Never rejects because of the program. */
  async run(request: RunRequest): Promise<Omit<RunResult, "cells">> {
    const { language, source, stdin, ...limits } = request;
    const [result] = await this.runPlans({ language, source }, [{ stdin, cells: [], as_script: true }], limits);
    if (!result) throw new Error("expected exactly one result for one plan");
    const { cells: _, ...rest } = result;
    return rest;
  }

  /**
   * Runs a program once per plan, each from a clean state. Always returns one result per plan, in order.
   * Plans that the sandbox failed to run, or that were cancelled by `signal`, are `unavailable`.
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
        results.push(...left.map(() => withoutRun("timeout", `not run: ${timeouts} earlier runs timed out`)));
        break;
      }
      // After a timeout, plans run one at a time, so that the limit on timeouts holds.
      const { language, source, tenant = "" } = program;
      const job: Job = {
        language,
        source,
        id: this.#nextId++,
        plans: timeouts > 0 ? left.slice(0, 1) : left,
        limits: set,
      };
      const end = await this.#runJob(job, tenant, results, signal);
      if (end === "killed")
        results.push(withoutRun("timeout", `the run did not end within ${set.timeout_ms} ms and was killed`));
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
   * Runs the remaining plans of a job and pushes the results as they arrive. Resolves with how the job ended,
   * or why it could not be run.
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

/** Creates a sandbox and waits until its interpreters are ready. */
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
