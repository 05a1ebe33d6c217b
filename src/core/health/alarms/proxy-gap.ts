// Owns the alarm `proxy_gap`: reward rises while it says less and less of the labels.
import type { Alarm } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";

const FIRST = 50;
const STEPS = 20;

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

export const proxyGap: Alarm = {
  name: "proxy_gap",
  bad: "above",
  alarm: 0.2,
  clear: 0.15,
  series(rows) {
    const [labels, rewards] = [column(rows, "label_correlation"), column(rows, "reward_mean")];
    const [agreed, earned] = [mean(labels.slice(0, FIRST)), mean(rewards.slice(0, FIRST))];
    const recent = rolling(labels, STEPS);
    return rolling(rewards, STEPS).map((reward, i) => {
      const now = recent[i] ?? null;
      if (i < FIRST || reward === null || now === null || agreed === null || earned === null) return null;
      return reward > earned ? agreed - now : 0;
    });
  },
};
