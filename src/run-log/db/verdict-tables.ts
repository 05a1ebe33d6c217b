// The tables of what verifiers said, as drizzle sees them: the verdicts behind rewards, an audit's apart from
// them, and their texts.
import { doublePrecision, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { Verdict } from "../../core/judges/verdicts.ts";

/** The columns of every generation, of judge or audit. */
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

/** One row a generation of the verifier. */
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
 * One row a generation of an audit's judge: a separate table, so that nothing that reads rewards' verdicts
 * can meet one. `text` only where the spec says log_verdicts, until it expires.
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
 * The verifier's texts, one row a generation at most, only for requests whose spec says log_verdicts; apart
 * so that they can expire alone.
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
