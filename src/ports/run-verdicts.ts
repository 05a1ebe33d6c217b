// Owns the port to what a run's verifiers have said, kept for its later requests. Interface only.
import type { Reading } from "../core/asking/readings.ts";
import type { RunKey } from "./run-log.ts";

/** All readings of one question, by its content key; none of them failed. */
export interface KnownVerdict {
  /** Digest of the question's prompt. */
  prompt: string;
  key: string;
  readings: readonly Reading[];
}

/** Calls are harmless to repeat. */
export interface RunVerdicts {
  /** Of so many prompts what is known, at most verdict_cache_read rows. */
  known(run: RunKey, prompts: readonly string[]): Promise<KnownVerdict[]>;
  /** By a request of this id; nothing is kept where the run was deleted since it came. */
  remember(run: RunKey, rows: readonly KnownVerdict[], requestId: string): Promise<void>;
}
