// The queue of retries: tasks in back-off, tasks that are due, and one timer for pauses of the whole queue.
// Independent of budgets, breakers and HTTP.
import type { Countable, Task } from "./queue.ts";
import type { StartTimer } from "./stall-watchdog.ts";

/** First come, first served after the back-off. Calls `onDue` whenever a task may be sent. */
export class RetryLine<J extends Countable> {
  readonly #schedule: StartTimer;
  readonly #onDue: () => void;
  readonly #resting = new Map<Task<J>, () => void>();
  #due: Task<J>[] = [];
  #wake: (() => void) | null = null;

  constructor(schedule: StartTimer, onDue: () => void) {
    this.#schedule = schedule;
    this.#onDue = onDue;
  }

  /** Number of tasks in the queue. */
  get size(): number {
    return this.#resting.size + this.#due.length;
  }

  /** Whether a task is due. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Adds a task that becomes due after `wait_ms`. */
  push(task: Task<J>, wait_ms: number): void {
    const unschedule = this.#schedule(() => {
      this.#resting.delete(task);
      this.#due.push(task);
      this.#onDue();
    }, wait_ms);
    this.#resting.set(task, unschedule);
  }

  /** Removes the task that is due first; there must be one. */
  shift(): Task<J> {
    return this.#due.shift() as Task<J>;
  }

  /** Calls `onDue` after `ms`, or earlier if a call is already scheduled. */
  wakeIn(ms: number): void {
    this.#wake ??= this.#schedule(() => {
      this.#wake = null;
      this.#onDue();
    }, ms);
  }

  /**
   * Empties the queue and cancels every timer.
   * @returns the tasks that were in the queue
   */
  drain(): Task<J>[] {
    this.#wake?.();
    this.#wake = null;
    for (const unschedule of this.#resting.values()) unschedule();
    const left = [...this.#resting.keys(), ...this.#due];
    this.#resting.clear();
    this.#due = [];
    return left;
  }
}
