// The gateway's own limits by name, beside those of the protocol (src/core/faults/limits.ts).
import { LIMITS } from "../../../src/core/faults/limits.ts";

const MIB = 1024 * 1024;

/** Units are the last word of each name. */
export const GATEWAY_LIMITS = {
  /** The edge's whole body (16 MiB of texts) and 65,536 comparisons of some 100 bytes fit twice. */
  body_bytes: 32 * MIB,
  /** Requests being read or answered at one time. */
  requests_open_max: 512,
  /** Requests at one scalar server at a time, and those that may wait for any. */
  scalar_in_flight_max: 16,
  scalar_waiting_max: 256,
  /** A server that did not answer is not asked for this long where another is left. */
  scalar_rest_ms: 2_000,
  /** Estimated prompt tokens not yet sent to the engine, over all requests. */
  queue_tokens_default: 100_000_000,
  /** Characters a token: the estimate for code and English; no tokenizer runs here. */
  chars_per_token: 4,
  /**
   * Idle connections are kept so long: longer than callers keep theirs, or they would use one that
   * is being closed.
   */
  keep_alive_ms: 75_000,
  /** Below the promised heartbeat, so that a slow timer keeps the promise. */
  heartbeat_ms: LIMITS.heartbeat_ms - 1_000,
  /** Events waiting for a slow reader; beyond, its request sends nothing new to the engine. */
  reply_buffer_chars: MIB,
  /** How long a reader may take over what is left once a request has ended. */
  stalled_reader_ms: 30_000,
  /**
   * While fewer of the engine's places than this share are taken, samples go out that may turn out
   * not to be needed.
   */
  spare_share: 1 / 8,
  /**
   * The largest share of the places for requests, and of the tokens that may wait, for a priority above 0.
   */
  later_share: 1 / 2,
  /**
   * Tokens a party may send in its turn before the next one's: a few generations, so that they
   * share a prefix.
   */
  quantum_tokens: 8_192,
  /** Completion tokens of a generation until some were measured. */
  completion_tokens_guess: 1_024,
  /** Answers before the measured service time counts, and how old the last may be. */
  estimate_answers_min: 32,
  estimate_age_max_ms: 30_000,
  retry_after_max_s: 30,
  drain_ms_default: 30_000,
} as const;

/** Relations that must hold between these limits; asserted by the tests. */
export const GATEWAY_LIMIT_RELATIONS: readonly [string, boolean][] = [
  ["what an edge accepts fits a gateway's body", GATEWAY_LIMITS.body_bytes >= 2 * LIMITS.body_bytes],
  ["heartbeats come before the protocol's bound", GATEWAY_LIMITS.heartbeat_ms < LIMITS.heartbeat_ms],
  [
    "one request's text alone cannot pass the queue's bound",
    GATEWAY_LIMITS.body_bytes / GATEWAY_LIMITS.chars_per_token < GATEWAY_LIMITS.queue_tokens_default,
  ],
  ["a retry waits no longer than the edge would", GATEWAY_LIMITS.retry_after_max_s * 1000 <= LIMITS.retry_after_ms_max],
];
