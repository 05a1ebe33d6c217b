// Arrivals for the tests of gathering.
import type { Arrival, RoomState } from "../../src/objects/gathering/group-state.ts";

/** A request's arrival; requests with equal body hashes repeat each other. */
export const arrivalOf = (waiter_id: string, body_hash: string, more: Partial<Arrival> = {}): Arrival => ({
  waiter_id,
  body_hash,
  group_size: null,
  window_ms: 2_000,
  answer_within_ms: 40_000,
  retain_ms: 600_000,
  tries: 1,
  patience_ms: 1_000,
  takes_failure: false,
  whole_only: false,
  ...more,
});

/** A room in which nothing has happened. */
export const emptyRoom = (): RoomState => ({ groups: [], undecided: [], refused: [] });
