// Defines what a kind of request is to the load generator: the calls of one request and how their replies are
// read.

/** Where the time of a request went, ms; null where the target does not say. */
export interface TimeSplit {
  /** Kritai's own work: everything but the two below. */
  edge: number | null;
  store: number | null;
  /**
   * Kritai's wait for its verifier, which the three below divide where the target is the gateway or
   * an engine.
   */
  verifier: number | null;
  /** For the generation that came last. */
  queue: number | null;
  first_token: number | null;
  generation: number | null;
}

/** The result of a request. Counts are 0 where a reply has none. */
export interface Reading {
  /** Why a reply of status 200 cannot be used; null when it can. */
  fault: string | null;
  /** Rewards that are numbers, and those that are null. */
  rewards: number;
  nulls: number;
  comparisons: number;
  generations: number;
  parsed: number;
  /** Answers in which no verdict could be read. */
  unparsed: number;
  /** Generations that brought no answer. */
  failed: number;
  prompt_tokens: number;
  completion_tokens: number;
  split: TimeSplit;
  spec_hash: string | null;
}

/** The client's view of one call; times on performance.now()'s clock. */
export interface Transport {
  server_timing: string | null;
  sent_at: number;
  ended_at: number;
}

/** Reads one reply while it comes in. */
export interface ReplyReader {
  push(bytes: Uint8Array, now: number): void;
  /** Called once, after the last byte of a reply of status 200. */
  finish(transport: Transport): Reading;
}

/** A body with places for the request's mark: the mark goes between the parts. */
export type BodyParts = readonly string[];

export interface Call {
  /** Below the target's own path. */
  path: string;
  body: BodyParts;
  open(): ReplyReader;
}

/**
 * One item of the workload, ready to be sent any number of times. All its calls are sent at once;
 * it is done when the last is.
 */
export interface Work {
  calls: readonly Call[];
  /** Combines the calls' readings, in the calls' order; `ended_at` of each beside it. */
  combine(readings: readonly { reading: Reading; ended_at: number }[]): Reading;
}

export const NO_SPLIT: TimeSplit = {
  edge: null,
  store: null,
  verifier: null,
  queue: null,
  first_token: null,
  generation: null,
};

export const NOTHING_READ: Reading = {
  fault: null,
  rewards: 0,
  nulls: 0,
  comparisons: 0,
  generations: 0,
  parsed: 0,
  unparsed: 0,
  failed: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  split: NO_SPLIT,
  spec_hash: null,
};

/**
 * Placeholder in a workload's texts where each request gets its own mark, so that no prefix cache knows the
 * prompt already.
 */
export const MARK = "@@load-test-mark@@";

/** The body as JSON, parted at the marks. */
export const bodyParts = (body: unknown): BodyParts => JSON.stringify(body).split(MARK);

/** A request of one call is what its call says. */
export const oneCall = (call: Call): Work => ({
  calls: [call],
  combine: ([only]) => (only as { reading: Reading }).reading,
});
