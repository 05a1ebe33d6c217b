// Drizzle tables of the run log, named specs and templates. Verdicts are in verdict-tables.ts, alarms in
// health-tables.ts.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { SignalDetail } from "../../core/contract/export-tables.ts";
import type { RolloutResult, TournamentReport } from "../../core/contract/group-reply.ts";
import { NOBODY } from "../../core/contract/owner.ts";
import type { RunMetadata } from "../../core/contract/run-metadata.ts";

// Millisecond precision, like a JavaScript Date, so that values survive a round trip.
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
const total = (name: string) => bigint(name, { mode: "number" }).notNull();

/**
 * One row per run, with its totals. Run ids are unique per owner only. The statement that stores a request
 * also updates the totals, so that listing runs reads only this table.
 */
export const runs = pgTable(
  "runs",
  {
    run_id: text("run_id").notNull(),
    owner: text("owner").notNull().default(NOBODY),
    first_step: integer("first_step"),
    last_step: integer("last_step"),
    first_at: instant("first_at").notNull(),
    last_at: instant("last_at").notNull(),
    requests: total("requests"),
    groups: total("groups"),
    rollouts: total("rollouts"),
    reward_sum: doublePrecision("reward_sum").notNull(),
    reward_count: total("reward_count"),
    parsed_sum: doublePrecision("parsed_sum").notNull(),
    parsed_count: total("parsed_count"),
    /** Verifier tokens used for the run's groups. */
    prompt_tokens: total("prompt_tokens").default(0),
    completion_tokens: total("completion_tokens").default(0),
    /** When the run's alarms were last checked. */
    alarms_at: instant("alarms_at"),
    /** The owner's description, set by PUT /v1/runs/:run_id. */
    metadata: json("metadata").$type<RunMetadata>(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.owner] }),
    index("runs_newest").on(t.first_at.desc().nullsFirst(), t.run_id.desc().nullsFirst(), t.owner.desc().nullsFirst()),
    index("runs_of_owner").on(t.owner, t.first_at.desc().nullsFirst(), t.run_id.desc().nullsFirst()),
  ],
);

/**
 * One row per spec, keyed by `spec_hash`. The column is `json`, not `jsonb`, to keep the spec exactly as it
 * was hashed, including U+0000 escapes.
 */
export const specs = pgTable("specs", {
  spec_hash: text("spec_hash").primaryKey(),
  spec: json("spec").notNull(),
  created_at: instant("created_at").notNull(),
});

/** Specs stored under a name by PUT /v1/specs/:name. */
export const namedSpecs = pgTable("named_specs", {
  name: text("name").primaryKey(),
  spec: json("spec").notNull(),
  updated_at: instant("updated_at").notNull(),
});

/** Custom presets, stored by PUT /v1/templates/:name. */
export const namedTemplates = pgTable("named_templates", {
  name: text("name").primaryKey(),
  template: json("template").notNull(),
  updated_at: instant("updated_at").notNull(),
});

/**
 * One row per request, written last in its transaction, so that a request becomes visible only when it is
 * complete. Among the tables of a request only this one has the owner, so the others are read through it. The
 * index by step sorts requests without a step first, as lists of steps do.
 */
export const requests = pgTable(
  "requests",
  {
    request_id: text("request_id").primaryKey(),
    kind: text("kind", { enum: ["rewards", "verdicts", "attempt"] }).notNull(),
    run_id: text("run_id"),
    step: integer("step"),
    key_name: text("key_name"),
    owner: text("owner").notNull().generatedAlwaysAs(sql`coalesce(key_name, '')`),
    spec_hash: text("spec_hash").notNull(),
    created_at: instant("created_at").notNull(),
    items: integer("items").notNull(),
    groups: integer("groups").notNull(),
    parse_rate: doublePrecision("parse_rate"),
    tau_b_mean: doublePrecision("tau_b_mean"),
    tau_b_undefined: integer("tau_b_undefined").notNull(),
    list_acc: doublePrecision("list_acc"),
    reward_mean: doublePrecision("reward_mean"),
    reward_std: doublePrecision("reward_std"),
    total_ms: doublePrecision("total_ms").notNull(),
    verifier_ms: doublePrecision("verifier_ms").notNull(),
    overhead_ms: doublePrecision("overhead_ms").notNull(),
    warnings: json("warnings").$type<readonly string[]>().notNull(),
    /** Cost of the questions in US dollars; null if unknown, and in rows older than the column. */
    usd: doublePrecision("usd"),
    /**
     * The spec's `log_texts` setting, which `spec_hash` does not cover. Null in rows older than the column.
     */
    log_texts: boolean("log_texts"),
  },
  (t) => [
    index("requests_of_run").on(t.run_id, t.owner, t.request_id),
    index("requests_of_step").on(t.run_id, t.owner, t.step.asc().nullsFirst(), t.request_id),
  ],
);

/** One row per group of a request; the group's public id is `<request_id>.<group_index>`. */
export const groups = pgTable(
  "groups",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    run_id: text("run_id"),
    step: integer("step"),
    spec_hash: text("spec_hash").notNull(),
    created_at: instant("created_at").notNull(),
    group_id: text("group_id").notNull(),
    prompt_hash: text("prompt_hash").notNull(),
    language: text("language"),
    status: text("status", { enum: ["ok", "partial", "failed"] }).notNull(),
    win_counts: integer("win_counts").array().$type<(number | null)[]>().notNull(),
    selected: smallint("selected"),
    selected_tied: smallint("selected_tied").array().notNull(),
    parse_rate: doublePrecision("parse_rate"),
    tau_b: doublePrecision("tau_b"),
    tau_b_undefined: text("tau_b_undefined"),
    list_acc: boolean("list_acc"),
    position_flip_rate: doublePrecision("position_flip_rate"),
    /**
     * `triples`: number of sets of three candidates whose pairs were all decided. `circles`: how many of
     * these triples have cyclic wins. Both are null if no candidates were compared.
     */
    triples: integer("triples"),
    circles: integer("circles"),
    /**
     * Tournament details (`TournamentReport` in contract/group-reply.ts); null for specs that do not report them.
     */
    contest: json("contest").$type<TournamentReport | null>(),
    /** Number of leading turns that all rollouts share; null if the rollouts are plain strings. */
    shared_turns: integer("shared_turns"),
    reward_mean: doublePrecision("reward_mean"),
    reward_std: doublePrecision("reward_std"),
    parts_correlation: doublePrecision("parts_correlation"),
    comparisons: integer("comparisons").notNull(),
    generations: integer("generations").notNull(),
    parsed: integer("parsed").notNull(),
    unparsed: integer("unparsed").notNull(),
    /** Number of `unparsed` answers cut off at the token limit; null in rows older than the column. */
    cut: integer("cut"),
    failed: integer("failed").notNull(),
    saved: integer("saved").notNull(),
    prompt_tokens: bigint("prompt_tokens", { mode: "number" }).notNull(),
    completion_tokens: bigint("completion_tokens", { mode: "number" }).notNull(),
    latency_p50_ms: doublePrecision("latency_p50_ms").notNull(),
    latency_p99_ms: doublePrecision("latency_p99_ms").notNull(),
    latency_max_ms: doublePrecision("latency_max_ms").notNull(),
    models: text("models").array().notNull().default([]),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index] })],
);

/** One row per rollout: its label, result and hashes, but never its text. */
export const rollouts = pgTable(
  "rollouts",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    rollout_index: smallint("rollout_index").notNull(),
    spec_hash: text("spec_hash").notNull(),
    reward: doublePrecision("reward"),
    error: text("error"),
    base: doublePrecision("base"),
    format: doublePrecision("format").notNull(),
    overlong: doublePrecision("overlong").notNull(),
    wins: integer("wins").notNull(),
    losses: integer("losses").notNull(),
    ties: integer("ties").notNull(),
    undecided: integer("undecided").notNull(),
    forfeits: integer("forfeits").notNull(),
    unparsed: integer("unparsed").notNull(),
    votes: integer("votes"),
    rank: smallint("rank"),
    duplicate_of: smallint("duplicate_of"),
    format_ok: boolean("format_ok").notNull(),
    jams_judge: boolean("jams_judge").notNull().default(false),
    length_tokens: integer("length_tokens"),
    finish_reason: text("finish_reason"),
    pass_rate: doublePrecision("pass_rate"),
    text_hash: text("text_hash").notNull(),
    candidate_hash: text("candidate_hash"),
    audit: doublePrecision("audit"),
    /**
     * For multi-turn rollouts: the number of turns, the share shown to the judge, and the number of
     * characters left out, by kind.
     */
    turns: integer("turns"),
    shown: doublePrecision("shown"),
    left_out: json("left_out").$type<RolloutResult["left_out"] | null>(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.rollout_index] })],
);

/**
 * One row per rollout and signal, only for requests whose spec has signals. With these rows a run can be
 * rescored without asking its verifier again.
 */
export const signals = pgTable(
  "signals",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    rollout_index: smallint("rollout_index").notNull(),
    signal: text("signal").notNull(),
    spec_hash: text("spec_hash").notNull(),
    value: doublePrecision("value"),
    code: text("code"),
    detail: json("detail").$type<SignalDetail | null>(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.rollout_index, t.signal] })],
);

/**
 * Concatenated hashes of a rollout's turns. A separate table, because the turn hashes of a whole group are
 * too long for one queue message.
 */
export const turns = pgTable(
  "turns",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    rollout_index: smallint("rollout_index").notNull(),
    spec_hash: text("spec_hash").notNull(),
    hashes: text("hashes").notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.rollout_index] })],
);

/**
 * Prompts and rollouts, split into parts and stored only if the spec sets `log_texts`. A separate table, so
 * that they can expire earlier than the other rows. The rollout_index -1 marks a group's prompt.
 */
export const texts = pgTable(
  "texts",
  {
    request_id: text("request_id").notNull(),
    group_index: smallint("group_index").notNull(),
    rollout_index: smallint("rollout_index").notNull(),
    part: smallint("part").notNull().default(0),
    spec_hash: text("spec_hash").notNull(),
    text: text("text").notNull(),
  },
  (t) => [primaryKey({ columns: [t.request_id, t.group_index, t.rollout_index, t.part] })],
);

/**
 * Deleted runs. Requests with an id below `before` (ids sort by time) are no longer stored, even if they are
 * still queued. Later requests start a new run with the same id.
 */
export const deletedRuns = pgTable(
  "deleted_runs",
  { run_id: text("run_id").notNull(), owner: text("owner").notNull(), before: text("before").notNull() },
  (t) => [primaryKey({ columns: [t.run_id, t.owner] })],
);

/**
 * Requests of which only some envelopes have been stored, with the run that they belong to. Rows of most
 * other tables do not name their run.
 */
export const partedRequests = pgTable(
  "parted_requests",
  { request_id: text("request_id").primaryKey(), run_id: text("run_id").notNull(), owner: text("owner").notNull() },
  (t) => [index("parted_requests_of_run").on(t.run_id, t.owner)],
);
