// Types of the queueing model's inputs and outputs.

export interface Submission {
  prompt_tokens: number;
  /** Keys of the prompt's full blocks; see blockKeys. */
  blocks: readonly number[];
  /** Tokens to generate, at least 1. */
  output_tokens: number;
  /** Lower values go first; ties by arrival. */
  priority: number;
}

export interface QueueEvent {
  type: "first_token" | "finished" | "preempted";
  id: number;
  /** Time of the event, in seconds. */
  at: number;
}

export interface QueueTotals {
  preemptions: number;
  /** Prompt tokens submitted. `warm_tokens`: those found in the prefix cache. */
  prompt_tokens: number;
  warm_tokens: number;
}
