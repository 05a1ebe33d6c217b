// Owns the shape of a run's histogram of rewards.

/** How rewards of complete groups are spread over a run's steps. */
export interface RewardHistogram {
  /**
   * Ends of the bins, ascending, each bin with its lower end and without its upper but the last;
   * empty: no reward.
   */
  edges: number[];
  steps: { step: number; counts: number[] }[];
  /** In order of first use. */
  specs: { spec_hash: string; first_step: number; last_step: number }[];
}
