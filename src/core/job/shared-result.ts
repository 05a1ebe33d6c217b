// The result of a question, which groups with the same prompt and candidates share. One of them asks; the others
// wait until the result is final.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import type { Reading } from "../asking/readings.ts";

/** The result of a question that one group asks, shared by all groups with the same prompt and candidates. */
export interface SharedResult {
  readings: Reading[];
  /** Other questions asked for the same result: further attempts after unreadable answers, and summaries. */
  others: AskedQuestion[];
  /** Whether the result is final: answered, or given up after the last attempt. */
  isFinal: boolean;
  /** Called once the result is final. */
  watchers: (() => void)[];
}

/** Calls `next` once all results are final; at once if they are. */
export function whenFinal(results: readonly SharedResult[], next: () => void): void {
  const waiting = new Set(results.filter(({ isFinal }) => !isFinal));
  if (waiting.size === 0) next();
  for (const shared of waiting) {
    shared.watchers.push(() => {
      waiting.delete(shared);
      if (waiting.size === 0) next();
    });
  }
}

export function makeFinal(shared: SharedResult): void {
  const { watchers } = shared;
  shared.isFinal = true;
  shared.watchers = [];
  for (const watcher of watchers) watcher();
}
