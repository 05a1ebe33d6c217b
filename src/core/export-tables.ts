// Owns the names of what a run can be exported as, and the row of its texts. Knows no storage and no HTTP.

export const EXPORT_TABLES = ["groups", "verdicts", "texts"] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

/** A text as it was logged, of a request whose spec says log_texts. */
export interface StoredText {
  group_id: string;
  /** null: the group's prompt; a chat as its canonical JSON. */
  rollout_index: number | null;
  text: string;
}
