// Names of the tables that a run can be exported as, and the row types for texts and signals.
import type { ItemErrorCode } from "../faults/errors.ts";

export const EXPORT_TABLES = ["groups", "verdicts", "audit_verdicts", "texts", "signals", "turns"] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

/** A logged prompt or rollout. Stored only for requests whose spec sets log_texts. */
export interface StoredText {
  group_id: string;
  /** null if `text` is the group's prompt. Chat prompts are stored as canonical JSON. */
  rollout_index: number | null;
  text: string;
}

/**
 * Details of a signal in addition to its value. `skipped` means that the signal's `when` excluded the
 * rollout; `refused`, that the verifier rejected questions that show this candidate because of its content.
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
  /** Why the value is missing; null if it is present. */
  code: ItemErrorCode | null;
  detail: SignalDetail | null;
}

export interface StoredSignal extends SignalRow {
  group_id: string;
}

/** Hashes of the turns of a multi-turn rollout, stored if the turns themselves are not. */
export interface StoredTurns {
  group_id: string;
  rollout_index: number;
  /** For each turn, the first `turn_hash_chars` hex digits of its SHA-256. */
  hashes: string[];
}
