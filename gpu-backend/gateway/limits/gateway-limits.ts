// Limits of the gateway itself, by name. The limits of the protocol are in src/core/faults/limits.ts.
import { LIMITS } from "../../../src/core/faults/limits.ts";

const MIB = 1024 * 1024;

/** Limits of the gateway. The last word of each name is the unit. */
export const GATEWAY_LIMITS = {
  /** Twice the edge's largest body, which leaves space for 65,536 comparisons of about 100 bytes each. */
  body_bytes: 36 * MIB,
  /**
   * Bytes of the bodies of all requests being read or answered. A body needs up to five times its bytes: parsed,
   * escaped, and encoded for the engine.
   */
  open_bytes_max: 144 * MIB,
  /** Requests being read or answered at the same time. */
  requests_open_max: 512,
  /** Concurrent requests per scalar server, and requests that may wait for any scalar server. */
  scalar_in_flight_max: 16,
  scalar_waiting_max: 256,
  /** How long a scalar server that failed to answer is skipped while another server is available. */
  scalar_rest_ms: 2_000,
  /** Estimated prompt tokens not yet sent to the engine, over all requests. */
  queue_tokens_default: 100_000_000,
  /** Estimated characters per token of code and English. The gateway runs no tokenizer. */
  chars_per_token: 4,
  /**
   * How long idle connections are kept open. Longer than the callers' own keep-alive, so that no caller sends
   * on a connection that the gateway is just closing.
   */
  keep_alive_ms: 75_000,
  /** Shorter than the protocol's heartbeat, so that a late timer still meets the protocol's bound. */
  heartbeat_ms: LIMITS.heartbeat_ms - 1_000,
  /**
   * Characters of events buffered for a slow reader. Above this, the request sends no new generations
   * (back-pressure).
   */
  reply_buffer_chars: MIB,
  /** How long a reader may take to receive the remaining events after its request has ended. */
  stalled_reader_ms: 30_000,
  /**
   * Share of the engine's capacity in use below which spare samples, which may turn out to be unnecessary,
   * are sent.
   */
  spare_share: 1 / 8,
  /**
   * Largest share of the open requests and of the queued tokens that requests with a priority above 0 may
   * use.
   */
  later_share: 1 / 2,
  /**
   * Tokens that a tenant may send per turn before the next tenant's turn: a few generations, so that they
   * share a prefix.
   */
  quantum_tokens: 8_192,
  /** Estimated completion tokens per generation until measurements exist. */
  completion_tokens_guess: 1_024,
  /** Answers needed before the measured service time is used, and the maximum age of the latest one. */
  estimate_answers_min: 32,
  estimate_age_max_ms: 30_000,
  retry_after_max_s: 30,
  drain_ms_default: 30_000,
} as const;

/** Relations that must hold between these limits; asserted by the tests. */
export const GATEWAY_LIMIT_RELATIONS: readonly [string, boolean][] = [
  ["what an edge accepts fits a gateway's body", GATEWAY_LIMITS.body_bytes >= 2 * LIMITS.body_bytes],
  [
    "open requests may hold several of the largest bodies",
    GATEWAY_LIMITS.open_bytes_max >= 4 * GATEWAY_LIMITS.body_bytes,
  ],
  ["heartbeats come before the protocol's bound", GATEWAY_LIMITS.heartbeat_ms < LIMITS.heartbeat_ms],
  [
    "one request's text alone cannot pass the queue's bound",
    GATEWAY_LIMITS.body_bytes / GATEWAY_LIMITS.chars_per_token < GATEWAY_LIMITS.queue_tokens_default,
  ],
  ["a retry waits no longer than the edge would", GATEWAY_LIMITS.retry_after_max_s * 1000 <= LIMITS.retry_after_ms_max],
];
