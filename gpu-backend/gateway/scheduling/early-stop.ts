// Decides when a comparison's samples may stop: counts votes and says how many more are needed.

/**
 * The samples of one comparison. With `majority`, it is decided as soon as those left cannot change
 * which of the two has more votes: not even all of them voting for the other side would bring a
 * tie. So the pair's result is that of waiting for all, also when samples that failed are asked
 * again in another request: each counts as one that is left.
 */
export class Ballot {
  readonly #majority: boolean;
  readonly #votes: [number, number] = [0, 0];
  #unsent: number;
  #running = 0;
  /** Samples that failed and that the asker may ask anew, whose votes are still to come. */
  #lost = 0;

  /** @param samples how many are asked, 1 at least */
  constructor(samples: number, stop: "majority" | "all") {
    this.#unsent = samples;
    this.#majority = stop === "majority";
  }

  /** Samples not yet sent. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Samples sent and not settled. */
  get running(): number {
    return this.#running;
  }

  /** Whether no sample left can matter any more, although some are left. */
  get decided(): boolean {
    return this.#majority && this.left > 0 && this.#margin > this.left + this.#lost;
  }

  /** Samples without a result. */
  get left(): number {
    return this.#unsent + this.#running;
  }

  /**
   * Unsent samples without which the comparison cannot be decided, even if every one from now on
   * votes for the leader. The others may turn out to be superfluous; with `all`, every unsent
   * sample is needed.
   */
  get needed(): number {
    if (!this.#majority) return this.#unsent;
    const agreeing = Math.floor((this.left + this.#lost - this.#margin) / 2) + 1;
    return Math.min(this.#unsent, Math.max(0, agreeing - this.#running));
  }

  get #margin(): number {
    return Math.abs(this.#votes[0] - this.#votes[1]);
  }

  /** One more sample is sent. */
  send(): void {
    this.#unsent--;
    this.#running++;
  }

  /** The unsent samples are given up. */
  drop(): void {
    this.#unsent = 0;
  }

  /**
   * A running sample has ended: with a vote for the first (0) or the second (1) shown, with none
   * (null), or without a result yet (`lost`).
   */
  settle(position: number | "lost" | null): void {
    this.#running--;
    if (position === "lost") this.#lost++;
    if (position === 0) this.#votes[0]++;
    else if (position === 1) this.#votes[1]++;
  }
}
