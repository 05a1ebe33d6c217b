// The alarm `nulls`: too many rollouts have no reward.
import { type Alarm, documented } from "../alarm.ts";
import { type HealthRow, pooled } from "../health-row.ts";
import { percent } from "../sentence.ts";
import { poissonTail } from "../trend.ts";

const STEPS = 20;
const ALARM = 0.02;
const CLEAR = 0.01;
/** Significance level: the probability of this many nulls if the true share is `CLEAR`. */
const P_MOST = 1e-5;

const missing = ({ nulls }: HealthRow) => Object.values(nulls).reduce((sum, count) => sum + count, 0);

const codesOf = ({ nulls }: HealthRow) =>
  Object.entries(nulls)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ${count}`)
    .join(", ");

export const nulls: Alarm = {
  name: "nulls",
  bad: "above",
  alarm: ALARM,
  clear: CLEAR,
  series: (rows) =>
    pooled(rows, STEPS, (row) => ({ hits: missing(row), count: row.rollouts })).map((some) => {
      if (some === null) return null;
      const share = some.hits / some.count;
      return poissonTail(some.hits, CLEAR * some.count) < P_MOST ? share : Math.min(share, ALARM);
    }),
  detail: (row) => ({ by_code: row.nulls, rollouts: row.rollouts }),
  says: ({ value, row }) => `${percent(value)} of the rollouts have no reward (${codesOf(row)})`,
};

export const page = /* @__PURE__ */ documented(nulls, {
  rule: "over 2 % of the rollouts of 20 steps have no reward, beyond chance; `by_code` counts them by error code",
  ends_at: "1 %",
  needs: "any rollout",
  look_at: "the errors of those codes",
  marked_on: ["rollouts without a reward"],
  draws_threshold: true,
  groups_by: ["without a reward", "most"],
});
