// Defines what failed and will be asked again: who still waits out a back-off, whose turn has come, and one
// timer for when all must wait. Must not know budgets, breakers or HTTP.
import type { Countable, Task } from "./queue.ts";
import type { StartTimer } from "./stall-watchdog.ts";

/**
 * First come, first served once the back-off is over. `onDue` is called whenever something may go
 * on.
 */
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

  /** Tasks in line. */
  get size(): number {
    return this.#resting.size + this.#due.length;
  }

  /** Whether a task's turn has come. */
  get isDue(): boolean {
    return this.#due.length > 0;
  }

  /** Puts a task into the line, to be due after `wait_ms`. */
  push(task: Task<J>, wait_ms: number): void {
    const unschedule = this.#schedule(() => {
      this.#resting.delete(task);
      this.#due.push(task);
      this.#onDue();
    }, wait_ms);
    this.#resting.set(task, unschedule);
  }

  /** Takes the task that is due first; there must be one. */
  shift(): Task<J> {
    return this.#due.shift() as Task<J>;
  }

  /** Calls `onDue` after `ms`, or earlier where a call is due already. */
  wakeIn(ms: number): void {
    this.#wake ??= this.#schedule(() => {
      this.#wake = null;
      this.#onDue();
    }, ms);
  }

  /** Ends the line and every timer. @returns what was in it */
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
