// Owns work of a request that takes long and asks nobody: done in turns of the event loop, a key's
// requests one after another. Knows no route.
import { LIMITS } from "../../core/faults/limits.ts";
import type { Clock } from "../../scoring/ports.ts";
import { pause } from "../../scoring/waiting.ts";

interface Working {
  /** The key's next work begins no sooner: a runtime may end a request amid. */
  until: number;
  /** Works of the same key that wait for that. */
  waiting: number;
  over: boolean;
}

/** Of each key the latest work. */
const working = new Map<string, Working>();

/**
 * What a generator that yields the steps it took comes to. Between two turns others are served, and
 * a key has one work under way, however many requests it sends: what another key waits for is one
 * turn. Between two works of a key is a pause, and where more of them wait, after each turn too, so
 * that it has a part of the loop alone.
 */
export async function inTurns<T>(owner: string, clock: Clock, work: Generator<number, T>): Promise<T> {
  const own = await begin(owner, clock);
  try {
    for (let steps = 0; ; ) {
      const { done, value } = work.next();
      if (done) return value;
      steps += value;
      if (steps < LIMITS.rehearsal_turn_steps) continue;
      steps = 0;
      await pause(own.waiting > 0 ? LIMITS.rehearsal_pause_ms : 0);
      own.until = clock.now() + LIMITS.rehearsal_lease_ms;
    }
  } finally {
    own.over = true;
    own.until = clock.now() + LIMITS.rehearsal_pause_ms;
  }
}

async function begin(owner: string, clock: Clock): Promise<Working> {
  for (let before = working.get(owner), rested = 0; before !== undefined && before.until > clock.now(); ) {
    // Also by a clock that stands.
    if (before.over && rested >= LIMITS.rehearsal_pause_ms) break;
    before.waiting++;
    await pause(LIMITS.rehearsal_wait_ms);
    before.waiting--;
    const next = working.get(owner);
    rested = next === before && before.over ? rested + LIMITS.rehearsal_wait_ms : 0;
    before = next;
  }
  const own = { until: clock.now() + LIMITS.rehearsal_lease_ms, waiting: 0, over: false };
  working.set(owner, own);
  return own;
}
