// Names of the tables that a run can be exported as, and the row types of its texts and signals.
import type { ItemErrorCode } from "../faults/errors.ts";

export const EXPORT_TABLES = ["groups", "verdicts", "audit_verdicts", "texts", "signals", "turns"] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

/** A logged text. Stored only for requests whose spec sets log_texts. */
export interface StoredText {
  group_id: string;
  /** null: the text is the group's prompt; a chat prompt is stored as canonical JSON. */
  rollout_index: number | null;
  text: string;
}

/**
 * A signal's details in addition to its value. `skipped`: the signal's `when` excluded the rollout.
 * `refused`: its verifier refused questions that show the candidate, because of the candidate.
 */
export interface SignalDetail {
  skipped?: true;
  refused?: true;
  [of_its_kind: string]: unknown;
}

/** The value of one signal for one rollout, for specs with signals. */
export interface SignalRow {
  rollout_index: number;
  signal: string;
  value: number | null;
  /** The reason for a missing value; null if there is a value. */
  code: ItemErrorCode | null;
  detail: SignalDetail | null;
}

export interface StoredSignal extends SignalRow {
  group_id: string;
}

/** Hashes of a rollout of several turns, stored if its texts are not. */
export interface StoredTurns {
  group_id: string;
  rollout_index: number;
  /** One entry per turn: the first `turn_hash_chars` hex digits of its SHA-256. */
  hashes: string[];
}
