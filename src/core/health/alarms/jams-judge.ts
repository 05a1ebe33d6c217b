// The alarm `jams_judge`: more rollouts than in the first steps make the verifier's answers unreadable.
import { type Alarm, documented } from "../alarm.ts";
import { type Counted, type HealthRow, pooled } from "../health-row.ts";
import { percent } from "../sentence.ts";
import { FIRST_STEPS, poissonTail } from "../trend.ts";

const STEPS = 30;
/** Minimum baseline share: rarer events may be chance, even if there were none in the first steps. */
const USUAL_LEAST = 0.002;
const P_MOST = 1e-6;

const counted = ({ jam_share, rollouts }: HealthRow): Counted =>
  jam_share == null ? { hits: 0, count: 0 } : { hits: Math.round(jam_share * rollouts), count: rollouts };

export const jamsJudge: Alarm = {
  name: "jams_judge",
  bad: "above",
  alarm: 0.01,
  clear: 0.005,
  series(rows) {
    const counts = pooled(rows, STEPS, counted);
    const first = pooled(rows.slice(0, FIRST_STEPS), FIRST_STEPS, counted).at(-1);
    return counts.map((now, i) => {
      if (now === null || first == null || i < STEPS) return null;
      const usual = Math.max(first.hits / first.count, USUAL_LEAST);
      return poissonTail(now.hits, usual * now.count) < P_MOST ? now.hits / now.count - usual : 0;
    });
  },
  detail: ({ jam_share }) => ({ jam_share }),
  says: ({ value }) =>
    `${percent(value)} more of the rollouts than in the first steps make the verifier's answers unreadable`,
};

export const page = /* @__PURE__ */ documented(jamsJudge, {
  rule: "over 30 steps, the share of rollouts that make verdicts unreadable is 1 point above that of the first 50 steps, beyond chance",
  ends_at: "half a point",
  needs: "31 steps",
  look_at: "read those candidates; add the format rule `judgeable`",
  marked_on: ["verifier: ties, flips, cycles, unreadable"],
  groups_by: ["jams", "most"],
});
