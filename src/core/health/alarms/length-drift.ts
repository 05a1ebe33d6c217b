// The alarm `length_drift`: the length of rollouts has grown or shrunk far from its earlier range.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { significant } from "../sentence.ts";

const STEPS = 20;
/**
 * Correlation of reward and length within groups above which the message says that longer (or shorter)
 * rollouts win.
 */
const WINS = 0.3;

/**
 * Relative distance of each median below the highest, or above the lowest, earlier median; the larger of the
 * two.
 */
function drift(medians: readonly (number | null)[]): (number | null)[] {
  let [peak, trough] = [0, Number.POSITIVE_INFINITY];
  return medians.map((median) => {
    if (median === null) return null;
    [peak, trough] = [Math.max(peak, median), Math.min(trough, median)];
    return Math.max(peak === 0 ? 0 : 1 - median / peak, trough === 0 ? 0 : median / trough - 1);
  });
}

export const lengthDrift: Alarm = {
  name: "length_drift",
  bad: "above",
  alarm: 0.4,
  clear: 0.3,
  series: (rows) => drift(rolling(column(rows, "length_p50"), STEPS)),
  detail: ({ length_p50 }) => ({ length_p50 }),
  says: ({ row, past }) => {
    const now = row.length_p50 ?? 0;
    const medians = rolling(column(past, "length_p50"), STEPS).filter((value) => value !== null);
    const [low, high] = [Math.min(...medians), Math.max(...medians)];
    const grew = now - low > high - now;
    const towards = (row.length_reward ?? 0) * (grew ? 1 : -1);
    const wins = towards > WINS ? `, and ${grew ? "longer" : "shorter"} ones win` : "";
    return `answers ${grew ? "grew" : "shrank"} from ${significant(grew ? low : high)} to ${significant(now)} tokens (median)${wins}`;
  },
};

export const page = /* @__PURE__ */ documented(lengthDrift, {
  rule: "the median length is 40 % below its highest or above its lowest value so far (means of 20 steps)",
  ends_at: "30 %",
  needs: "10 steps with `length_tokens`",
  look_at: "`overlong`; whether the reward depends on length",
  marked_on: ["length"],
  groups_by: ["median length", "most"],
});
