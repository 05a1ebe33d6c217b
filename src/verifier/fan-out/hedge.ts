// Hedging: asks one question a second time if the first copy is slow to begin, and cancels the slower copy.
// Independent of budgets, slots and HTTP.
import type { AttemptResult } from "./refusal.ts";
import type { StartTimer } from "./stall-watchdog.ts";

/** A second copy that waits for permission; no longer needed once `isWanted` returns false. */
export interface Straggler {
  launch: () => void;
  isWanted: () => boolean;
}

interface HedgePlan {
  /** How long the first copy may take to begin, ms. */
  after_ms: number;
  schedule: StartTimer;
  /** Launches the straggler when the budget allows it, which may be never. */
  whenAllowed: (straggler: Straggler) => void;
  /**
   * Controllers of the running copies, so that the caller can abort all of them: `AbortSignal.any` costs
   * more.
   */
  copies: Set<AbortController>;
  /** Called if the second copy began first. */
  onWin: () => void;
}

/** Sends one copy, until the signal aborts. Calls `onBytes` when the answer begins. */
export type Launch = (signal: AbortSignal, onBytes: () => void) => Promise<AttemptResult>;

interface Copy {
  abort: AbortController;
  running: boolean;
}

/**
 * Sends a question, and a second copy if the first has not begun to answer after `after_ms`. The copy that
 * begins first wins; the other is cancelled at once, so that it costs the engine at most a prompt (Dean and
 * Barroso 2013, tied requests). If one copy fails before either has begun, the result is that of the other.
 * Rejects as `launch` does.
 */
export function hedged(launch: Launch, plan: HedgePlan): Promise<AttemptResult> {
  const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>();
  const copies: Copy[] = [];
  let winner: Copy | null = null;
  let over = false;

  const finish = (outcome: AttemptResult) => {
    over = true;
    unschedule();
    resolve(outcome);
  };
  const begins = (copy: Copy) => {
    if (winner !== null) return;
    winner = copy;
    unschedule();
    for (const other of copies) if (other !== copy) other.abort.abort("hedged");
    if (copy !== copies[0]) plan.onWin();
  };
  const isWanted = () => !over && winner === null;
  const start = () => {
    const copy = { abort: new AbortController(), running: true };
    copies.push(copy);
    plan.copies.add(copy.abort);
    launch(copy.abort.signal, () => begins(copy)).then((outcome) => {
      copy.running = false;
      plan.copies.delete(copy.abort);
      const lost = winner !== null && winner !== copy;
      const leftToOther = outcome.generation.error !== null && winner === null && copies.some((other) => other.running);
      if (!lost && !leftToOther) finish(outcome);
    }, reject);
  };

  const unschedule = plan.schedule(() => plan.whenAllowed({ launch: start, isWanted }), plan.after_ms);
  start();
  return promise;
}
