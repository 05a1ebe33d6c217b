// Drizzle tables of verifier answers: the verdicts that decided rewards, the verdicts of audits, and the
// answers in full.
import { doublePrecision, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { Verdict } from "../../core/judges/verdicts.ts";

/** Columns of one generation, whether of the judge or of an audit's judge. */
const generation = () => ({
  request_id: text("request_id").notNull(),
  group_index: smallint("group_index").notNull(),
  comparison: integer("comparison").notNull(),
  sample: integer("sample").notNull(),
  spec_hash: text("spec_hash").notNull(),
  shown_order: smallint("shown_order").array().notNull(),
  letter: text("letter"),
  scores: doublePrecision("scores").array(),
  status: text("status"),
  error: text("error"),
  finish_reason: text("finish_reason"),
  prompt_tokens: integer("prompt_tokens").notNull(),
  completion_tokens: integer("completion_tokens").notNull(),
  latency_ms: doublePrecision("latency_ms").notNull(),
  model: text("model"),
  backend: text("backend"),
  turns: integer("turns").array().$type<(number | null)[]>(),
});

/** One row per generation of the verifier. */
export const verdicts = pgTable(
  "verdicts",
  {
    ...generation(),
    signal: text("signal").notNull().default("base"),
    verdict: json("verdict").$type<Verdict | null>(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.comparison, t.sample] })],
);

/**
 * One row per generation of an audit's judge. A separate table, so that queries for the verdicts that decided
 * rewards never include audit verdicts. `text` is set only if the spec sets log_verdicts, and only until it
 * expires.
 */
export const auditVerdicts = pgTable(
  "audit_verdicts",
  {
    ...generation(),
    verdict: json("verdict").$type<Verdict | null>(),
    text: text("text"),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.comparison, t.sample] })],
);

/**
 * The verifier's answers in full, at most one row per generation, stored only if the spec sets log_verdicts.
 * A separate table, so that they can expire earlier than the verdicts.
 */
export const verdictTexts = pgTable(
  "verdict_texts",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    comparison: integer("comparison").notNull(),
    sample: integer("sample").notNull(),
    spec_hash: text("spec_hash").notNull(),
    text: text("text").notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.comparison, t.sample] })],
);
