// The tables of what alarms look at and of their states, as drizzle sees them: both can be had again from the
// log.
import { bigint, boolean, index, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { AlarmSpan } from "../../core/health/alarm.ts";
import { instant } from "./schema.ts";

/** The state of a run's alarms, a row an alarm that is on or was: each is reported once. */
export const runAlarms = pgTable(
  "run_alarms",
  {
    run_id: text("run_id").notNull(),
    owner: text("owner").notNull(),
    alarm: text("alarm").notNull(),
    level: text("level", { enum: ["watch", "alarm"] }),
    reported: text("told", { enum: ["watch", "alarm"] }),
    from_step: integer("from_step").notNull(),
    to_step: integer("to_step"),
    evidence: json("evidence").$type<AlarmSpan["evidence"]>().notNull(),
    tries: smallint("tries").notNull(),
    updated_at: instant("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.owner, t.alarm] }),
    index("run_alarms_newest").on(t.updated_at.desc().nullsFirst()),
  ],
);

/**
 * The measures of a step, or its row for pages, as last computed, and of which requests: they hold as
 * long as the step has these and no other.
 */
export const healthRows = pgTable(
  "health_rows",
  {
    run_id: text("run_id").notNull(),
    owner: text("owner").notNull(),
    /** `step`: the measures; `row`: the row. */
    axis: text("axis", { enum: ["step", "row"] }).notNull(),
    /** The step; -1 without one. */
    k: bigint("k", { mode: "number" }).notNull(),
    /** Hash of the statement. */
    version: text("version").notNull(),
    /** How many requests, the exclusive or of their ids' hashes, and the oldest. */
    requests: integer("requests").notNull(),
    ids: bigint("ids", { mode: "bigint" }).notNull(),
    oldest: text("oldest").notNull(),
    /** Values in the order of the table of measures, or the row. */
    measured: json("measured").$type<unknown>().notNull(),
    /**
     * A hash of each group's prompt and rollouts, by request and place: equal ones may be the same
     * group again.
     */
    contents: integer("contents").array().notNull(),
    /** False: no other step had one of these contents when it was last told. */
    again: boolean("again").notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.owner, t.axis, t.k] })],
);
