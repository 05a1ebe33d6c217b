// Counts what work holds that no request of this isolate waits for, as a gathered group's or a batch's, and
// waiting until there is room for it.
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** One work's place among what its isolate holds. */
interface HeldPlace {
  /** Counts bytes that are held for it; throws ApiError `busy` where they do not fit. */
  reserveBytes(bytes: number): void;
  /** Whether there is still no room for the work that was refused last. */
  isFull(): boolean;
  /** Takes the place back, once however often it is called. */
  end(): void;
}

/** An isolate's memory for work that outlives requests, or that requests elsewhere wait for. */
export interface HeldWork {
  /** @param most_ms how long it takes at most: what is lost counts no longer */
  begin(key_name: string | null, most_ms: number): HeldPlace;
}

const UNBOUNDED: HeldWork = { begin: () => ({ reserveBytes: () => {}, isFull: () => false, end: () => {} }) };

/** Does the work while what it holds counts. @param held absent: nothing is counted */
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
 * The same for work that no request waits for: where it does not fit it begins again when there is, as long
 * as `most_ms` are not over and the signal is not aborted.
 * @param work receives the time that it has left, ms; is refused before it has asked anything
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
