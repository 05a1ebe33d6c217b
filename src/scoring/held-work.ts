// Admission control for memory held by work that no request of this isolate waits for, such as gathered
// groups and batches; waits until there is room.
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** The reservation of one work item in its isolate. */
interface HeldPlace {
  /** Reserves bytes; throws ApiError `busy` if they do not fit. */
  reserveBytes(bytes: number): void;
  /** Whether there is still no room for the work that was rejected last. */
  isFull(): boolean;
  /** Releases the reservation; idempotent. */
  end(): void;
}

/** Memory of an isolate for work that outlives requests, or that requests in other isolates wait for. */
export interface HeldWork {
  /**
   * @param most_ms maximum duration of the work; the reservation expires after it, in case the work is lost
   */
  begin(key_name: string | null, most_ms: number): HeldPlace;
}

const UNBOUNDED: HeldWork = { begin: () => ({ reserveBytes: () => {}, isFull: () => false, end: () => {} }) };

/**
 * Runs the work with a memory reservation.
 * @param held omitted: memory is not counted
 */
export async function holding<T>(
  held: HeldWork | undefined,
  key_name: string | null,
  most_ms: number,
  work: (place: HeldPlace) => Promise<T>,
): Promise<T> {
  const place = (held ?? UNBOUNDED).begin(key_name, most_ms);
  try {
    return await work(place);
  } finally {
    place.end();
  }
}

/**
 * Like `holding`, for work that no request waits for: rejected work is retried when there is room, until
 * `most_ms` have passed or the signal is aborted.
 * @param work receives its remaining time, ms; is rejected before it has asked anything
 */
export function holdingLater<T>(
  { held, clock }: { held?: HeldWork | undefined; clock: Clock },
  key_name: string | null,
  most_ms: number,
  signal: AbortSignal,
  work: (place: HeldPlace, left_ms: number) => Promise<T>,
): Promise<T> {
  const until = clock.now() + most_ms;
  const isOver = () => signal.aborted || clock.now() >= until;
  return holding(held, key_name, most_ms, async (place) => {
    for (;;) {
      try {
        return await work(place, Math.max(1, until - clock.now()));
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "busy")) throw error;
        while (place.isFull() && !isOver()) await pause(clock, LIMITS.held_wait_ms);
        if (isOver()) throw error;
      }
    }
  });
}
