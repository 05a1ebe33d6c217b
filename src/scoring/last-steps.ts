// Warns if a run's steps go back, because charts mix two trainings that share a run id. Steps are in memory, so
// each instance knows only its requests; the run's page reads the log instead.
import type { RunKey } from "../core/contract/owner.ts";
import { goesBack } from "../core/health/steps-in-flight.ts";

/** Maximum number of runs in memory; beyond it, the least recently updated one is evicted. */
const RUNS_MAX = 4096;

export class LastSteps {
  readonly #steps = new Map<string, { first: number; last: number }>();

  /**
   * Records the step of a request.
   * @returns the warning `step_went_back`, once each time that a run goes back; otherwise nothing
   */
  note({ owner, run_id }: RunKey, step: number): string[] {
    const name = JSON.stringify([owner, run_id]);
    const { first, last } = this.#steps.get(name) ?? { first: step, last: step };
    const isBack = goesBack(step, first, last - step);
    this.#steps.delete(name);
    this.#steps.set(
      name,
      isBack ? { first: step, last: step } : { first: Math.min(first, step), last: Math.max(last, step) },
    );
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > RUNS_MAX && oldest !== undefined) this.#steps.delete(oldest);
    if (!isBack) return [];
    return [
      `step_went_back: The run reached step ${last} before this request with step ${step}, and its charts mix both passes. Give each training a different run_id. After a resume from a checkpoint, ignore this warning.`,
    ];
  }
}
