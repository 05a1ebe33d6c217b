// A session's probe: the one question that tests whether an unavailable backend has recovered, with a
// timeout. Independent of the breaker.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Countable, Task } from "./queue.ts";
import type { StartTimer } from "./stall-watchdog.ts";

/** Allows at most one probe at a time; the session's other samples wait for its result. */
export class Probe<J extends Countable> {
  readonly #schedule: StartTimer;
  readonly #onLate: (task: Task<J>) => void;
  #task: Task<J> | null = null;
  #unschedule: () => void = () => {};

  /** @param onLate called if the probe's answer does not begin in time, which counts as a failure */
  constructor(schedule: StartTimer, onLate: (task: Task<J>) => void) {
    this.#schedule = schedule;
    this.#onLate = onLate;
  }

  /** Whether a probe is in flight. */
  get isOut(): boolean {
    return this.#task !== null;
  }

  is(task: Task<J>): boolean {
    return this.#task === task;
  }

  start(task: Task<J>): void {
    this.#task = task;
    task.probe = true;
    this.#unschedule = this.#schedule(() => this.#onLate(task), LIMITS.breaker_probe_ms);
  }

  /** Releases the probe, whatever its result. Ignores other tasks. */
  end(task: Task<J> | null = this.#task): void {
    if (task !== this.#task) return;
    this.#task = null;
    this.#unschedule();
  }
}
