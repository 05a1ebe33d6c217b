// The alarm `parse_rate_low`: too few of the verifier's answers can be read as verdicts.
import { type Alarm, documented } from "../alarm.ts";
import { column, rolling } from "../health-row.ts";
import { percent } from "../sentence.ts";

/** Number of steps to average over, since a single small step is noisy. */
const STEPS = 10;

export const parseRateLow: Alarm = {
  name: "parse_rate_low",
  bad: "below",
  watch: 0.95,
  alarm: 0.8,
  clear: 0.96,
  series: (rows) => rolling(column(rows, "parse_rate"), STEPS, STEPS),
  says: ({ value }) => `only ${percent(value)} of the verifier's answers are readable`,
};

export const page = /* @__PURE__ */ documented(parseRateLow, {
  rule: "the share of readable answers is below 95 % (`watch`) or below 80 % (`alarm`), mean of 10 steps",
  ends_at: "96 %",
  needs: "10 steps in which the verifier answered",
  look_at: "verdicts' `status`; the prompt and `max_tokens` of the judge",
  marked_on: ["parse rate"],
  draws_threshold: true,
  groups_by: ["parse rate", "least"],
});
