// Cooperative time slicing for the CPU work of scoring requests, so that one key's costly requests do not
// delay other keys. Work yields to the event loop between slices; long jobs of one key run one at a time.
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Timers } from "../ports/ports.ts";

/** A tenant's current or most recent long job. */
interface Long {
  /** Lease: the tenant's next long job waits for its end. It expires, since a runtime may kill a request. */
  until: number;
  /** Pause between the end of this job and the start of the next one, ms. */
  rest_ms: number;
  over: boolean;
}

const longs = new Map<string, Long>();
/** Time at which each tenant's work last started or continued; oldest first. */
const served = new Map<string, number>();

/**
 * Runs a generator that yields the cost of its work, in units of `turn_steps`, and resolves to its result.
 * Other requests are served between two slices. A job counts as long once it has used up its request's first
 * slice; a tenant has at most one long job running, regardless of its number of requests.
 * @param tenant the tenant that the work is for; "" without keys
 * @param until clock time after which the job no longer waits for other jobs
 * @param turn cost of the request's current slice so far
 */
async function inTurns<T>(
  tenant: string,
  timers: Timers,
  work: Generator<number, T>,
  until: number,
  turn: { steps: number },
): Promise<T> {
  note(tenant, timers);
  let longTurn: Long | null = null;
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      turn.steps += value;
      if (turn.steps < LIMITS.turn_steps) continue;
      turn.steps = 0;
      if (longTurn === null) longTurn = await begin(tenant, timers, until);
      await pause(timers, restOf(tenant, timers));
      longTurn.until = timers.now() + LIMITS.turn_lease_ms;
      note(tenant, timers);
    }
  } finally {
    if (longTurn !== null) {
      longTurn.over = true;
      longTurn.rest_ms = restOf(tenant, timers);
      longTurn.until = timers.now() + longTurn.rest_ms;
    }
  }
}

/** Runs a job after the previous ones have ended. */
export type InTurns = <T>(work: Generator<number, T>) => Promise<T>;

/**
 * Returns a function that runs the jobs of one scoring request one after another. They count as long once
 * they have used up one slice together.
 * @param until clock time by which the request must be answered
 */
export function workInTurns(tenant: string, timers: Timers, until: number): InTurns {
  const turn = { steps: 0 };
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = before.then(() => inTurns(tenant, timers, work, until, turn));
    before = done.catch(() => {});
    return done;
  };
}

/** Earliest time at which each tenant's next chunk of a large request body is read. */
const nextPieces = new Map<string, number>();

/**
 * Limits the rate at which large request bodies are read: while other tenants are being served, all bodies of
 * one tenant together are read at one chunk per `body_piece_ms`. Back-pressure keeps unread data at the
 * client.
 */
export async function pacePiece(tenant: string, timers: Timers): Promise<void> {
  note(tenant, timers);
  if (restOf(tenant, timers) === 0) return;
  const now = timers.now();
  const at = Math.max(now, nextPieces.get(tenant) ?? 0);
  nextPieces.set(tenant, at + LIMITS.body_piece_ms);
  if (at > now) await pause(timers, at - now);
}

/** Pause after a slice, ms: nonzero only if another tenant was served recently. */
function restOf(tenant: string, timers: Timers): number {
  const since = timers.now() - LIMITS.turn_beside_ms;
  return [...served].some(([other, at]) => other !== tenant && at >= since) ? LIMITS.turn_pause_ms : 0;
}

function note(tenant: string, timers: Timers): void {
  const now = timers.now();
  for (const [other, at] of served) {
    if (at >= now - LIMITS.turn_beside_ms) break;
    served.delete(other);
  }
  served.delete(tenant);
  served.set(tenant, now);
}

async function begin(tenant: string, timers: Timers, until: number): Promise<Long> {
  for (const [other, { until: ends }] of longs) {
    if (ends >= timers.now()) break;
    longs.delete(other);
  }
  for (let before = longs.get(tenant), waited = 0; before !== undefined && before.until > timers.now(); ) {
    // `waited` ends the loop even if the clock does not advance.
    if (waited >= (before.over ? before.rest_ms : LIMITS.turn_lease_ms) || timers.now() >= until) break;
    const [{ until: ends, over }, job] = [before, before];
    await pause(timers, LIMITS.turn_wait_ms);
    const next = longs.get(tenant);
    const isUnchanged = next === job && job.until === ends && job.over === over;
    waited = isUnchanged ? waited + LIMITS.turn_wait_ms : 0;
    before = next;
  }
  const longTurn = { until: timers.now() + LIMITS.turn_lease_ms, rest_ms: 0, over: false };
  longs.delete(tenant);
  longs.set(tenant, longTurn);
  return longTurn;
}
