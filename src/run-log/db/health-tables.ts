// Drizzle tables of alarm measures and alarm states; both can be recomputed from the log.
import { bigint, boolean, index, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { AlarmSpan } from "../../core/health/alarm.ts";
import { instant } from "./schema.ts";

/** Alarm states: one row per run and alarm that is or was on, so that each is announced once. */
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
 * Cached measures of a step, or its row in lists of steps, with a fingerprint of the requests from which they
 * were computed. Valid while the step has exactly these requests.
 */
export const healthRows = pgTable(
  "health_rows",
  {
    run_id: text("run_id").notNull(),
    owner: text("owner").notNull(),
    /** `step`: alarm measures; `row`: the step's row. */
    axis: text("axis", { enum: ["step", "row"] }).notNull(),
    /** The step; -1 for requests without a step. */
    k: bigint("k", { mode: "number" }).notNull(),
    /** Hash of the SQL statement that computed the row. */
    version: text("version").notNull(),
    /** Number of requests, XOR of the hashes of their ids, and the smallest id. */
    requests: integer("requests").notNull(),
    ids: bigint("ids", { mode: "bigint" }).notNull(),
    oldest: text("oldest").notNull(),
    /** Measures in the order of MEASURES, or the step's row. */
    measured: json("measured").$type<unknown>().notNull(),
    /**
     * A hash of each group's prompt and rollouts, ordered by request and group. Equal hashes may mean that a
     * group was repeated.
     */
    contents: integer("contents").array().notNull(),
    /** False if no other step had one of these contents at the last check. */
    again: boolean("again").notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.owner, t.axis, t.k] })],
);
