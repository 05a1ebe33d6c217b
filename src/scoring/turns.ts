// Owns work that takes long and asks nobody: done in turns of the event loop, a key's long works one
// after another. Knows no route and no signal.
import { LIMITS } from "../core/faults/limits.ts";
import { pause } from "../platform/waiting.ts";
import type { Clock } from "../ports/ports.ts";

/** How a kind of work shares the loop. */
interface TurnPace {
  /** Long from the first step on; else only once one turn's steps are done. */
  long: boolean;
  /** Between two long works of a key, and between two turns where somebody waits. */
  rest_ms: number;
  /** It rests only where another key was lately served. */
  beside: boolean;
}

export const REHEARSING: TurnPace = { long: true, rest_ms: LIMITS.rehearsal_pause_ms, beside: false };
const SCORING: TurnPace = { long: false, rest_ms: LIMITS.turn_pause_ms, beside: true };

/** Of one party's long works the one under way, or the latest. */
interface Long {
  /** The next begins no sooner: a runtime may end a request amid. */
  until: number;
  /** Between its end and the next one's beginning. */
  rest_ms: number;
  /** Works of the same party that wait for that. */
  waiting: number;
  over: boolean;
}

const longs = new Map<string, Long>();
/** When each party's work last began or went on; oldest first. */
const served = new Map<string, number>();

/**
 * What a generator that yields the steps it took (`turn_steps`) comes to. Between two turns others
 * are served, and a party has one long work under way, however many requests it sends: what another
 * waits for is one turn.
 * @param party whose work it is, "" where there are no keys
 * @param until clock time from which on it waits for no other work
 */
export async function inTurns<T>(
  party: string,
  clock: Clock,
  work: Generator<number, T>,
  pace: TurnPace,
  until = Number.POSITIVE_INFINITY,
  turn = { steps: 0 },
): Promise<T> {
  note(party, clock);
  let longTurn = pace.long ? await begin(party, clock, until) : null;
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      turn.steps += value;
      if (turn.steps < LIMITS.turn_steps) continue;
      turn.steps = 0;
      if (longTurn === null) longTurn = await begin(party, clock, until);
      await pause(restOf(party, clock, pace, longTurn.waiting));
      longTurn.until = clock.now() + LIMITS.turn_lease_ms;
      note(party, clock);
    }
  } finally {
    if (longTurn !== null) {
      longTurn.over = true;
      longTurn.rest_ms = restOf(party, clock, pace, 1);
      longTurn.until = clock.now() + longTurn.rest_ms;
    }
  }
}

/**
 * The works of one scoring request, one after another: together they have one turn before they are
 * long.
 * @param until when the request must be answered
 */
export function workInTurns(party: string, clock: Clock, until: number): <T>(work: Generator<number, T>) => Promise<T> {
  const turn = { steps: 0 };
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = before.then(() => inTurns(party, clock, work, SCORING, until, turn));
    before = done.catch(() => {});
    return done;
  };
}

const restOf = (party: string, clock: Clock, { beside, rest_ms }: TurnPace, waiting: number): number =>
  (beside ? isBeside(party, clock) : waiting > 0) ? rest_ms : 0;

/** Whether another party was served lately. */
function isBeside(party: string, clock: Clock): boolean {
  const since = clock.now() - LIMITS.turn_beside_ms;
  return [...served].some(([other, at]) => other !== party && at >= since);
}

function note(party: string, clock: Clock): void {
  const now = clock.now();
  for (const [other, at] of served) {
    if (at >= now - LIMITS.turn_beside_ms) break;
    served.delete(other);
  }
  served.delete(party);
  served.set(party, now);
}

async function begin(party: string, clock: Clock, until: number): Promise<Long> {
  for (const [other, { until: ends }] of longs) {
    if (ends >= clock.now()) break;
    longs.delete(other);
  }
  for (let before = longs.get(party), rested = 0; before !== undefined && before.until > clock.now(); ) {
    // Also by a clock that stands.
    if ((before.over && rested >= before.rest_ms) || clock.now() >= until) break;
    before.waiting++;
    await pause(LIMITS.turn_wait_ms);
    before.waiting--;
    const next = longs.get(party);
    rested = next === before && before.over ? rested + LIMITS.turn_wait_ms : 0;
    before = next;
  }
  const longTurn = { until: clock.now() + LIMITS.turn_lease_ms, rest_ms: 0, waiting: 0, over: false };
  longs.delete(party);
  longs.set(party, longTurn);
  return longTurn;
}
