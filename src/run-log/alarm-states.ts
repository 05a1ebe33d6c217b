// Stores the states of alarms in the database: one row per run and alarm. Only one caller at a time checks a
// run.

import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { RunKey } from "../core/contract/owner.ts";
import { LIMITS } from "../core/faults/limits.ts";
import type { AlarmState } from "../core/health/alarm-state.ts";
import type { AlarmStates } from "../ports/alarms.ts";
import { openDatabase, reading, type StoreConfig } from "./db/connection.ts";
import { runAlarms } from "./db/health-tables.ts";
import { runs } from "./db/schema.ts";

const ofRun = ({ run_id, owner }: RunKey) => and(eq(runAlarms.run_id, run_id), eq(runAlarms.owner, owner));

/** A run that has logged no request for this long counts as over, and its alarms are no longer listed. */
const STALE = sql`interval '1 day'`;

/** Creates the store. Each call is limited to store_timeout_ms and throws ApiError `store_unavailable`. */
export function createAlarmStates(config: StoreConfig): AlarmStates {
  const db = openDatabase(config, LIMITS.store_timeout_ms);
  return {
    async claim({ run_id, owner }, pause_ms) {
      const rows = await reading(() =>
        db
          .update(runs)
          .set({ alarms_at: sql`now()` })
          .where(
            and(
              eq(runs.run_id, run_id),
              eq(runs.owner, owner),
              sql`(${runs.alarms_at} IS NULL OR ${runs.alarms_at} < now() - ${pause_ms} * interval '1 millisecond')`,
            ),
          )
          .returning({ run_id: runs.run_id }),
      );
      return rows.length > 0;
    },
    async load(run) {
      const rows = await reading(() => db.select().from(runAlarms).where(ofRun(run)).orderBy(runAlarms.alarm));
      return rows.map(({ run_id: _, owner: __, updated_at: ___, ...state }): AlarmState => state);
    },
    async save({ run_id, owner }, states) {
      const rows = states.map((state) => ({ run_id, owner, ...state, updated_at: sql`now()` }));
      const changed = ["level", "reported", "from_step", "to_step", "evidence", "tries", "updated_at"] as const;
      await reading(() =>
        db
          .insert(runAlarms)
          .values(rows)
          .onConflictDoUpdate({
            target: [runAlarms.run_id, runAlarms.owner, runAlarms.alarm],
            set: Object.fromEntries(
              changed.map((name) => [name, sql`excluded.${sql.identifier(runAlarms[name].name)}`]),
            ),
          }),
      );
    },
    async on(limit) {
      const { run_id, owner, alarm, level, updated_at } = runAlarms;
      const rows = await reading(() =>
        db
          .select({ run_id, owner, alarm, level })
          .from(runAlarms)
          .where(and(isNotNull(level), sql`${updated_at} > now() - ${STALE}`))
          .orderBy(desc(updated_at), run_id, alarm)
          .limit(limit),
      );
      return rows.flatMap((row) => (row.level === null ? [] : [{ ...row, level: row.level }]));
    },
  };
}
