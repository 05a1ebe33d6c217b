// How a request's body is read so that one key's large bodies do not delay other keys.
import { LIMITS } from "../../core/faults/limits.ts";
import type { InTurns } from "../../scoring/turns.ts";

export interface BodyReading {
  /**
   * Takes the bytes of each piece of a body before it is kept, and gives back (below 0) what is kept
   * no more. May throw: that ends the reading.
   */
  receive(bytes: number): void;
  /** Takes in a large body so that other keys are served meanwhile. */
  inTurns: InTurns;
  /** Waits before more of a large body is read. */
  pace(): Promise<void>;
}

/** All of a work at once. */
export async function atOnce<T>(work: Generator<number, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** For a request without admission, as in tests: everything at once. */
const UNBOUND: BodyReading = { receive() {}, inTurns: atOnce, pace: async () => {} };

const readings = new WeakMap<Request, BodyReading>();

/** Has the request's body read so, whoever reads it. */
export function readBy(request: Request, reading: BodyReading): void {
  readings.set(request, reading);
}

export const readingOf = (request: Request): BodyReading => readings.get(request) ?? UNBOUND;

/** A pacer for one body. It takes the bytes that have come so far, and waits after each large piece. */
export function pacer({ pace }: BodyReading): (bytes: number) => Promise<void> | undefined {
  let next: number = LIMITS.body_turn_chars;
  return (bytes) => {
    if (bytes < next) return;
    next = bytes + LIMITS.body_piece_bytes;
    return pace();
  };
}
