// Cooperative time slicing for CPU work of scoring requests, so that one key's costly requests do not delay
// other keys. Work runs in slices of the event loop; long work items of one key run one after another.
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** A tenant's current or most recent long work item. */
interface Long {
  /**
   * Lease: the tenant's next long work starts no sooner. The lease expires, since a runtime may end a request
   * midway.
   */
  until: number;
  /** Pause between the end of this work and the start of the next, ms. */
  rest_ms: number;
  over: boolean;
}

const longs = new Map<string, Long>();
/** When each tenant's work last started or continued; oldest first. */
const served = new Map<string, number>();

/**
 * Runs a generator that yields the steps it took (`turn_steps`) and resolves to its result. Other requests
 * are served between two slices. A tenant has at most one long work item running, regardless of its number of
 * requests. Work is long once it has used up its request's first slice.
 * @param tenant the tenant of the work, "" without keys
 * @param until clock time after which the work no longer waits for other work
 * @param turn steps of the request's current slice
 */
async function inTurns<T>(
  tenant: string,
  clock: Clock,
  work: Generator<number, T>,
  until: number,
  turn: { steps: number },
): Promise<T> {
  note(tenant, clock);
  let longTurn: Long | null = null;
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      turn.steps += value;
      if (turn.steps < LIMITS.turn_steps) continue;
      turn.steps = 0;
      if (longTurn === null) longTurn = await begin(tenant, clock, until);
      await pause(clock, restOf(tenant, clock));
      longTurn.until = clock.now() + LIMITS.turn_lease_ms;
      note(tenant, clock);
    }
  } finally {
    if (longTurn !== null) {
      longTurn.over = true;
      longTurn.rest_ms = restOf(tenant, clock);
      longTurn.until = clock.now() + longTurn.rest_ms;
    }
  }
}

/** Runs a work item after the previous ones. */
export type InTurns = <T>(work: Generator<number, T>) => Promise<T>;

/**
 * Runs the work items of one scoring request one after another. Together they have one slice before they
 * count as long.
 * @param until clock time by which the request must be answered
 */
export function workInTurns(tenant: string, clock: Clock, until: number): InTurns {
  const turn = { steps: 0 };
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = before.then(() => inTurns(tenant, clock, work, until, turn));
    before = done.catch(() => {});
    return done;
  };
}

/** When each tenant may read its next piece of a large body; one entry per key. */
const nextPieces = new Map<string, number>();

/**
 * Rate-limits the reading of large bodies: if another tenant was served recently, a tenant's bodies together
 * are read at most one piece per `body_piece_ms`. Unread data stays with the client (back-pressure).
 */
export async function pacePiece(tenant: string, clock: Clock): Promise<void> {
  note(tenant, clock);
  if (restOf(tenant, clock) === 0) return;
  const now = clock.now();
  const at = Math.max(now, nextPieces.get(tenant) ?? 0);
  nextPieces.set(tenant, at + LIMITS.body_piece_ms);
  if (at > now) await pause(clock, at - now);
}

/** Pause after a slice, ms: nonzero only if another tenant was served recently. */
function restOf(tenant: string, clock: Clock): number {
  const since = clock.now() - LIMITS.turn_beside_ms;
  return [...served].some(([other, at]) => other !== tenant && at >= since) ? LIMITS.turn_pause_ms : 0;
}

function note(tenant: string, clock: Clock): void {
  const now = clock.now();
  for (const [other, at] of served) {
    if (at >= now - LIMITS.turn_beside_ms) break;
    served.delete(other);
  }
  served.delete(tenant);
  served.set(tenant, now);
}

async function begin(tenant: string, clock: Clock, until: number): Promise<Long> {
  for (const [other, { until: ends }] of longs) {
    if (ends >= clock.now()) break;
    longs.delete(other);
  }
  for (let before = longs.get(tenant), rested = 0; before !== undefined && before.until > clock.now(); ) {
    // Terminates even if the clock does not advance.
    if ((before.over && rested >= before.rest_ms) || clock.now() >= until) break;
    await pause(clock, LIMITS.turn_wait_ms);
    const next = longs.get(tenant);
    rested = next === before && before.over ? rested + LIMITS.turn_wait_ms : 0;
    before = next;
  }
  const longTurn = { until: clock.now() + LIMITS.turn_lease_ms, rest_ms: 0, over: false };
  longs.delete(tenant);
  longs.set(tenant, longTurn);
  return longTurn;
}
