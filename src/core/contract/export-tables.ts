// The names of what a run can be exported as, and the rows of its texts and signals.
import type { ItemErrorCode } from "../faults/errors.ts";

export const EXPORT_TABLES = ["groups", "verdicts", "audit_verdicts", "texts", "signals", "turns"] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

/** A text as it was logged, of a request whose spec says log_texts. */
export interface StoredText {
  group_id: string;
  /** null: the group's prompt; a chat as its canonical JSON. */
  rollout_index: number | null;
  text: string;
}

/**
 * A signal's details besides a value. `skipped`: its `when` left the rollout out. `refused`: its verifier
 * refused questions that show the candidate, because of the candidate.
 */
export interface SignalDetail {
  skipped?: true;
  refused?: true;
  [of_its_kind: string]: unknown;
}

/** One rollout's value of one signal of a spec with signals. */
export interface SignalRow {
  rollout_index: number;
  signal: string;
  value: number | null;
  /** The reason for a missing value; null where there is one. */
  code: ItemErrorCode | null;
  detail: SignalDetail | null;
}

export interface StoredSignal extends SignalRow {
  group_id: string;
}

/** What is kept of a rollout of several turns where its texts are not. */
export interface StoredTurns {
  group_id: string;
  rollout_index: number;
  /** For each turn the first `turn_hash_chars` hex digits of its SHA-256. */
  hashes: string[];
}
