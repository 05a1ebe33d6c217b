// Early stopping for the samples of a comparison: counts votes and reports how many more samples are needed.

/**
 * The samples of one comparison. With `majority`, the comparison is decided as soon as the remaining samples
 * cannot change the winner or cause a tie, so the result equals that of waiting for all samples. Failed
 * samples that another request may retry count as remaining.
 */
export class Ballot {
  readonly #majority: boolean;
  readonly #votes: [number, number] = [0, 0];
  #unsent: number;
  #running = 0;
  /** Failed samples that the caller may retry, so their votes may still arrive. */
  #lost = 0;

  /** @param samples number of samples, at least 1 */
  constructor(samples: number, stop: "majority" | "all") {
    this.#unsent = samples;
    this.#majority = stop === "majority";
  }

  /** Samples not yet sent. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Samples sent and not yet settled. */
  get running(): number {
    return this.#running;
  }

  /** Whether samples remain but can no longer change the result. */
  get decided(): boolean {
    return this.#majority && this.left > 0 && this.#margin > this.left + this.#lost;
  }

  /** Samples without a result. */
  get left(): number {
    return this.#unsent + this.#running;
  }

  /**
   * Unsent samples required to decide the comparison even if every further vote goes to the leader. The other
   * unsent samples may turn out to be unnecessary. With `all`, every unsent sample is needed.
   */
  get needed(): number {
    if (!this.#majority) return this.#unsent;
    const agreeing = Math.floor((this.left + this.#lost - this.#margin) / 2) + 1;
    return Math.min(this.#unsent, Math.max(0, agreeing - this.#running));
  }

  get #margin(): number {
    return Math.abs(this.#votes[0] - this.#votes[1]);
  }

  /** Records that a sample was sent. */
  send(): void {
    this.#unsent--;
    this.#running++;
  }

  /** Drops the unsent samples. */
  drop(): void {
    this.#unsent = 0;
  }

  /**
   * Records the end of a running sample.
   * @param position 0 or 1: a vote for the first or second candidate shown; null: no vote; `lost`: failed,
   *   may be retried
   */
  settle(position: number | "lost" | null): void {
    this.#running--;
    if (position === "lost") this.#lost++;
    if (position === 0) this.#votes[0]++;
    else if (position === 1) this.#votes[1]++;
  }
}
