// Owns the alarm `verifier_slow`: the slowest answers take twice what they took at first, and long.
import { percentile } from "../../math/stats.ts";
import { type Alarm, documented } from "../alarm.ts";
import { column } from "../health-row.ts";
import { significant } from "../sentence.ts";

/** Steps whose median is what it took at first; it does not move. */
const FIRST = 10;
/** So many in a row: one step's p99 is one answer's time. */
const RUN = 3;
/** Whatever it was at first, less is not slow. */
const FLOOR_MS = 1_000;

export const verifierSlow: Alarm = {
  name: "verifier_slow",
  bad: "above",
  alarm: 2,
  clear: 1.5,
  series(rows) {
    const times = column(rows, "latency_p99_ms");
    const first = times.filter((time) => time !== null).slice(0, FIRST);
    if (first.length < FIRST) return rows.map(() => null);
    const base = Math.max(
      FLOOR_MS / 2,
      percentile(
        first.toSorted((a, b) => a - b),
        0.5,
      ),
    );
    const last: number[] = [];
    return times.map((time) => {
      if (time === null) return null;
      last.push(time);
      return last.length < FIRST + RUN ? null : Math.min(...last.slice(-RUN)) / base;
    });
  },
  detail: ({ latency_p99_ms }) => ({ latency_p99_ms }),
  says: ({ value, row }) =>
    `the slowest answers (p99) take ${significant(value)} times what they took at first: ${significant((row.latency_p99_ms ?? 0) / 1000)} s`,
};

export const page = /* @__PURE__ */ documented(verifierSlow, {
  rule: "the p99 of answers (median over groups) is twice that of the first ten steps and over a second, three steps in a row",
  ends_at: "1.5 times",
  needs: "13 steps in which the judge answered",
  look_at: "the verifier's queue and its `/metrics`",
  marked_on: ["time to an answer"],
  groups_by: ["p99, ms", "most"],
});
