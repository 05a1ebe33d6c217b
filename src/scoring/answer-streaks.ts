// Counts consecutive rollouts without an answer across a run's requests, so that the warning also works for
// clients that send one sample per request. Counts are in memory, so each instance counts only its own.

/** Maximum number of streaks in memory; beyond it, the least recently updated one is evicted. */
const STREAKS_MAX = 4096;

/**
 * Adds one request's rollouts to a signal's streak. Returns the number of consecutive rollouts without an
 * answer; 0 if the request contains an answer.
 */
export type AnswerStreak = (signal: string, rollouts: number, isAnswered: boolean) => number;

export class AnswerStreaks {
  readonly #unanswered = new Map<string, number>();

  /** @param tenant the tenant that sent the request; undefined without API keys */
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
