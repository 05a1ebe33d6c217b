// Counts consecutive rollouts without an answer over the requests of a run, so that contracts that send one
// sample per request can warn too. In memory: each instance counts only what it judged.

/** Maximum number of streaks; beyond it, the least recently counted streak is evicted. */
const STREAKS_MAX = 4096;

/**
 * Counts a signal's rollouts of one request. Returns the number of consecutive rollouts without an answer, 0
 * after an answer.
 */
export type AnswerStreak = (signal: string, rollouts: number, isAnswered: boolean) => number;

export class AnswerStreaks {
  readonly #unanswered = new Map<string, number>();

  /** @param tenant the key that sent the request; omitted: no key */
  streakOf(spec_hash: string, run_id: string | null, tenant: string | undefined): AnswerStreak {
    return (signal, rollouts, isAnswered) => {
      const name = JSON.stringify([tenant ?? null, run_id, spec_hash, signal]);
      const before = this.#unanswered.get(name) ?? 0;
      this.#unanswered.delete(name);
      if (isAnswered) return 0;
      this.#unanswered.set(name, before + rollouts);
      const [oldest] = this.#unanswered.keys();
      if (this.#unanswered.size > STREAKS_MAX && oldest !== undefined) this.#unanswered.delete(oldest);
      return before + rollouts;
    };
  }
}
