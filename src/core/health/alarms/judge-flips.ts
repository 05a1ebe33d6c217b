// Owns the alarm `judge_flips`: the verifier goes by the place shown, or errs more often than
// it did: noise alone flips verdicts, too, though at most half of them.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";
import { risenOver } from "../trend.ts";

const STEPS = 20;
/** Noise alone flips at most half of the verdicts: so far above is counted as a rise. */
const CHANCE = 0.4;

export const judgeFlips: Alarm = {
  name: "judge_flips",
  bad: "above",
  alarm: 0.15,
  clear: 0.1,
  series(rows) {
    const flips = column(rows, "flip_rate");
    const risen = risenOver(flips, { steps: STEPS, sure: 4 });
    return rolling(flips, STEPS).map((now, i) =>
      now === null ? null : Math.max(now - CHANCE, risen[i] ?? now - CHANCE),
    );
  },
  detail: ({ flip_rate }) => ({ flip_rate }),
  says: ({ row }) => `${percent(row.flip_rate)} of the pairs change with the order in which they are shown`,
};

export const page = /* @__PURE__ */ documented(judgeFlips, {
  rule: "15 points more pairs change with the order shown than in the first 50 steps, or over 55 %, mean of 20 steps; noise alone flips up to half. Needs `both_orders`",
  ends_at: "10 points",
  needs: "10 steps under `both_orders`",
  look_at: "a stronger judge; keep both orders",
  marked_on: ["judge: ties, flips, circles, jams"],
  groups_by: ["flip with the order", "most"],
});
