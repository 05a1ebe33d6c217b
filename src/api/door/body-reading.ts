// Per-request hooks for reading request bodies, so that one key's large bodies do not delay other keys.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import type { InTurns } from "../../scoring/turns.ts";

export interface BodyReading {
  timers: Timers;
  /** Counts bytes before they are buffered; a negative number releases bytes. Throws to abort the read. */
  receive(bytes: number): void;
  /** Runs the parsing of a large body in time slices, so that other keys are served in between. */
  inTurns: InTurns;
  /** Waits before more of a large body is read. */
  pace(): Promise<void>;
}

/** Runs a generator to its end without yielding to other work. */
export async function atOnce<T>(work: Generator<number, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The hooks of requests without admission control: no limits and no time slicing. */
export const unboundReading = (timers: Timers): BodyReading => ({
  timers,
  receive() {},
  inTurns: atOnce,
  pace: async () => {},
});

const readings = new WeakMap<Request, BodyReading>();

/** Sets the hooks with which the request's body is read. */
export function readBy(request: Request, reading: BodyReading): void {
  readings.set(request, reading);
}

/** @throws TypeError if `readBy` was not called for the request */
export function readingOf(request: Request): BodyReading {
  const reading = readings.get(request);
  if (reading === undefined) throw new TypeError("readBy was not called for this request");
  return reading;
}

/** Returns a function to call with the number of bytes read so far, which waits after each large chunk. */
export function pacer({ pace }: BodyReading): (bytes: number) => Promise<void> | undefined {
  let next: number = LIMITS.body_turn_chars;
  return (bytes) => {
    if (bytes < next) return;
    next = bytes + LIMITS.body_piece_bytes;
    return pace();
  };
}
