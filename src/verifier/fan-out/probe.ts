// The one question by which a session finds out whether its backend is back, and how long it may take to be
// answered. Must not know the breaker.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Countable, Task } from "./queue.ts";
import type { StartTimer } from "./stall-watchdog.ts";

/** At most one at a time; all else of the session waits for it. */
export class Probe<J extends Countable> {
  readonly #schedule: StartTimer;
  readonly #onLate: (task: Task<J>) => void;
  #task: Task<J> | null = null;
  #unschedule: () => void = () => {};

  /** @param onLate called where it does not even begin to be answered in time: it has failed */
  constructor(schedule: StartTimer, onLate: (task: Task<J>) => void) {
    this.#schedule = schedule;
    this.#onLate = onLate;
  }

  /** Whether one is on its way. */
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

  /** The probe is over, whatever its result; another task's end is not its own. */
  end(task: Task<J> | null = this.#task): void {
    if (task !== this.#task) return;
    this.#task = null;
    this.#unschedule();
  }
}
