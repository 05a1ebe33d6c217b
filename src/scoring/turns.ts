// Cooperative time slicing for CPU work of scoring requests, so that one key's costly requests do
// not delay other keys: work runs in turns of the event loop, a key's long works one after another.
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** A party's long work under way, or its latest. */
interface Long {
  /** The next begins no sooner: a runtime may end a request in the middle. */
  until: number;
  /** Between its end and the next one's beginning. */
  rest_ms: number;
  over: boolean;
}

const longs = new Map<string, Long>();
/** When each party's work last began or went on; oldest first. */
const served = new Map<string, number>();

/**
 * Runs a generator that yields the steps it took (`turn_steps`) and resolves to its result. Other requests
 * are served between two turns, and a party has one long work under way, however many requests it sends. Work
 * is long once it has used up its request's first turn.
 * @param tenant the party that the work belongs to, "" without keys
 * @param until clock time from which on the work waits for no other work
 * @param turn steps of the request's current turn
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

/** Runs one work after those before it. */
export type InTurns = <T>(work: Generator<number, T>) => Promise<T>;

/**
 * The works of one scoring request, one after another: together they have one turn before they are
 * long.
 * @param until when the request must be answered
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

/** When each party's next piece of a large body may be read. Few: one of each key. */
const nextPieces = new Map<string, number>();

/**
 * Waits before the next piece of a large body of the party is read. Where another party was served
 * lately, the pieces of all of a party's bodies follow each other no faster than one in
 * `body_piece_ms`: what is not read waits with its client.
 */
export async function pacePiece(tenant: string, clock: Clock): Promise<void> {
  note(tenant, clock);
  if (restOf(tenant, clock) === 0) return;
  const now = clock.now();
  const at = Math.max(now, nextPieces.get(tenant) ?? 0);
  nextPieces.set(tenant, at + LIMITS.body_piece_ms);
  if (at > now) await pause(clock, at - now);
}

/** Pause after a turn, ms: only where another party was served lately. */
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
    // Also by a clock that stands.
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
