// Counts rollouts in a row without an answer, over the requests of a run, so that contracts which send
// one sample a request can warn too. In memory: an instance counts what it judged itself.

/** Streaks beyond this are forgotten, the one that was counted longest ago first. */
const STREAKS_MAX = 4096;

/** Counts a signal's rollouts of a request. Returns those in a row without an answer, 0 after an answer. */
export type AnswerStreak = (signal: string, rollouts: number, isAnswered: boolean) => number;

export class AnswerStreaks {
  readonly #unanswered = new Map<string, number>();

  /** @param tenant the key that asks; absent: no key */
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
