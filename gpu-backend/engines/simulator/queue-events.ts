// Defines what goes into the queue model and what it tells. Interfaces only.

export interface Submission {
  prompt_tokens: number;
  /** Keys of the prompt's full blocks; see blockKeys. */
  blocks: readonly number[];
  /** Tokens it will generate, at least 1. */
  output_tokens: number;
  /** Lower goes first; equal ones by arrival. */
  priority: number;
}

export interface QueueEvent {
  type: "first_token" | "finished" | "preempted";
  id: number;
  /** Seconds. */
  at: number;
}

export interface QueueTotals {
  preemptions: number;
  /** Prompt tokens taken in, and those of them that were warm. */
  prompt_tokens: number;
  warm_tokens: number;
}
