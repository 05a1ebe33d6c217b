// Admission control for the memory of work that no request in this isolate waits for, such as gathered groups
// and batches. Such work can wait until memory is free.
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** The memory reservation of one job in its isolate. */
interface HeldPlace {
  /** Reserves bytes; throws ApiError `busy` if they do not fit. */
  reserveBytes(bytes: number): void;
  /** Whether the memory still does not suffice for the job that was rejected last. */
  isFull(): boolean;
  /** Releases the reservation; idempotent. */
  end(): void;
}

/** An isolate's memory for jobs that outlive their request or that requests in other isolates wait for. */
export interface HeldWork {
  /** @param most_ms maximum duration of the job, after which the reservation of a lost job expires */
  begin(key_name: string | null, most_ms: number): HeldPlace;
}

/** Memory without a limit. */
export const UNBOUNDED_WORK: HeldWork = {
  begin: () => ({ reserveBytes: () => {}, isFull: () => false, end: () => {} }),
};

/**
 * Runs `work` with a memory reservation and releases it afterwards.
 * @param held the isolate's memory
 */
export async function holding<T>(
  held: HeldWork,
  key_name: string | null,
  most_ms: number,
  work: (place: HeldPlace) => Promise<T>,
): Promise<T> {
  const place = held.begin(key_name, most_ms);
  try {
    return await work(place);
  } finally {
    place.end();
  }
}

/**
 * Like `holding`, for work that no request waits for. Rejected work is retried when memory is free, until
 * `most_ms` have passed or `signal` is aborted.
 * @param work receives its remaining time in ms; must reserve its memory before it asks any question, since
 *   it may be called again
 */
export function holdingLater<T>(
  { held, clock }: { held: HeldWork; clock: Clock },
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
