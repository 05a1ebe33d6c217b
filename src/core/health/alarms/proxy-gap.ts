// Owns the alarm `proxy_gap`: reward rises while it says less and less of the labels, or, where
// none come, of what another judge finds of a share of groups.
import { mean, populationStd } from "../../math/stats.ts";
import type { Alarm } from "../alarm.ts";
import { column, type HealthRow, rolling } from "../health-row.ts";

const FIRST = 50;
const STEPS = 20;
/** An audit looks at few groups: as many steps as it is compared with, a fifth of them with one. */
const AUDIT_LEAST = 10;
/** So many standard errors an audit's fall must be, or chance among few groups would be one. */
const SURE = 3;
const CLEAR = 0.15;

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
};

/** Square of the standard error of the mean of what is known: infinite for a single value. */
function doubt(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  return known.length < 2 ? Number.POSITIVE_INFINITY : populationStd(known) ** 2 / (known.length - 1);
}

/** How far correlations fell against the first steps; null where nothing can be said. */
function falls(rows: readonly HealthRow[]): (number | null)[] {
  const labels = column(rows, "label_correlation");
  const labelled = labels.some((value) => value !== null);
  const truth = labelled ? labels : column(rows, "audit_correlation");
  const agreed = meanOf(truth.slice(0, FIRST));
  const before = doubt(truth.slice(0, FIRST));
  return rolling(truth, labelled ? STEPS : FIRST, labelled ? undefined : AUDIT_LEAST).map((now, i) => {
    if (now === null || agreed === null) return null;
    const fall = agreed - now;
    if (labelled || fall <= CLEAR) return fall;
    const error = Math.sqrt(before + doubt(truth.slice(Math.max(0, i - FIRST + 1), i + 1)));
    return fall > SURE * error ? fall : null;
  });
}

export const proxyGap: Alarm = {
  name: "proxy_gap",
  bad: "above",
  alarm: 0.2,
  clear: CLEAR,
  series(rows) {
    const rewards = column(rows, "reward_mean");
    const earned = meanOf(rewards.slice(0, FIRST));
    const fell = falls(rows);
    return rolling(rewards, STEPS).map((reward, i) => {
      const fall = fell[i] ?? null;
      if (i < FIRST || reward === null || fall === null || earned === null) return null;
      return reward > earned ? fall : 0;
    });
  },
};
