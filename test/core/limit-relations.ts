// The relations that must hold between limits.
import { LIMITS } from "../../src/core/faults/limits.ts";

const MIB = 1024 * 1024;

export const LIMIT_RELATIONS: readonly [string, boolean][] = [
  ["a full group fits a request", LIMITS.rollouts_per_group_max <= LIMITS.rollouts_per_request_max],
  [
    "as many rollouts as a request may have fit a body, each with 8 KiB of text and 1 KiB of JSON around it",
    LIMITS.rollouts_per_request_max * 9 * 1024 <= LIMITS.body_bytes,
  ],
  ["a full-length rollout and prompt fit a body", LIMITS.rollout_text_bytes + LIMITS.prompt_bytes < LIMITS.body_bytes],
  [
    "64 groups of 16 rollouts, every pair once, fit one openai request",
    64 * ((16 * 15) / 2) <= LIMITS.generations_openai_max,
  ],
  [
    "a session's requests, retries included, fit a Worker's subrequests",
    LIMITS.subrequests_max < 10_000 && LIMITS.generations_openai_max <= LIMITS.subrequests_max,
  ],
  [
    "an audit's generations fit a Worker's subrequests beside those of the main judging",
    LIMITS.generations_openai_max * (1 + 1 / LIMITS.audit_generations_divisor) <= LIMITS.subrequests_max,
  ],
  [
    "a Worker's subrequests leave room for retries' worth of log and check calls",
    LIMITS.generations_openai_max < 10_000,
  ],
  [
    "a probe's writes and pauses end before its room stops waiting",
    2 * LIMITS.probe_write_gap_ms < LIMITS.room_proof_ms,
  ],
  ["a reply begins before the shortest proxy time-out", LIMITS.silence_max_ms + 5_000 < LIMITS.proxy_silence_ms],
  ["heartbeats come well inside the promised 10 s", LIMITS.heartbeat_ms * 2 <= 10_000],
  ["a group is gathered for no longer than a request may take", LIMITS.group_window_ms_max <= LIMITS.deadline_ms_max],
  ["the default deadline lies inside its bounds", LIMITS.deadline_ms_default <= LIMITS.deadline_ms_max],
  [
    "a lone session on a dead host may retry its first round of probes",
    LIMITS.retry_budget_floor >= LIMITS.headers_waiting_max * LIMITS.retries_max,
  ],
  ["a lease outlives the longest request", LIMITS.key_lease_ms > LIMITS.deadline_ms_max + LIMITS.body_read_ms - 1],
  [
    "bodies of the largest size can be in flight side by side",
    LIMITS.in_flight_body_bytes_max >= 2 * LIMITS.body_bytes,
  ],
  [
    "one key's share holds a body of the largest size beside another, and leaves room for one of another key",
    LIMITS.in_flight_body_bytes_max / (LIMITS.in_flight_key_of_free + 1) >= LIMITS.body_bytes,
  ],
  [
    "the longest list of verdicts fits the fields of a body, every field named",
    5 * LIMITS.verdict_items_max < LIMITS.body_keys_max,
  ],
  [
    "a backend that is back is found within a second",
    Math.max(LIMITS.breaker_open_ms, LIMITS.breaker_poll_ms) <= 1_000,
  ],
  [
    "a lease outlives two renewals that were lost, and a waiter's call ends before any proxy cuts it",
    2 * LIMITS.idempotency_renewal_ms < LIMITS.idempotency_lease_ms && LIMITS.idempotency_wait_ms < 100_000,
  ],
  [
    "an alarm's handler ends well inside the platform's 15 minutes",
    Math.max(LIMITS.batch_alarm_ms, LIMITS.room_alarm_ms) <= 14 * 60_000,
  ],
  ["a kept reply fits a call between isolates (32 MiB)", LIMITS.idempotency_reply_bytes < 32 * MIB],
  ["a room holds a full group", LIMITS.rollouts_per_group_max <= LIMITS.room_members_max],
  [
    "a room's tries to be reached end well within a second and the longest proxy time-out",
    LIMITS.room_join_backoff_ms * 2 ** (LIMITS.room_join_tries_max - 1) < 2_000,
  ],
  [
    "an envelope fits a queue's message, two a sending, and a text's part an envelope with every character escaped",
    LIMITS.log_envelope_bytes < LIMITS.queue_message_bytes &&
      2 * LIMITS.log_envelope_bytes <= LIMITS.queue_send_bytes &&
      6 * LIMITS.text_part_chars + 5_000 < LIMITS.log_envelope_bytes,
  ],
  [
    "what a refusing queue costs leaves the direct write half of the store's time",
    LIMITS.queue_try_ms * LIMITS.queue_tries_max <= LIMITS.store_timeout_ms / 2,
  ],
  ["the store gives up before the shortest proxy time-out", LIMITS.store_timeout_ms < 100_000],
];
