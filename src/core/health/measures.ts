// The measures of a run: one number per step, as SQL over the log, with the descriptions for the reference
// and the run page. To add a measure, add one entry to each table here.

/** Shares are in [0, 1], correlations in [-1, 1]; counts are 0 if nothing was logged. */
export type Unit = "count" | "counts" | "share" | "correlation" | "reward" | "tokens" | "ms";

export interface Measure {
  /** Name of the field in a row of `GET /v1/runs/:run_id/health?rows=true`. */
  name: string;
  unit: Unit;
  /** The query or join below that supplies the rows, with the step as column `k`. */
  from: string;
  /** An aggregate over the rows of one step; null if no value was logged. */
  sql: string;
}

/** Keeps `name` and `unit` as literal types, from which the row type is derived. */
const measure = <N extends string, U extends Unit>(name: N, unit: U, from: string, sql: string) =>
  ({ name, unit, from, sql }) satisfies Measure;

/** One row per request: `request_id`, `warnings`, `created_at`. */
export const REQUESTS = "req";
/** One row per group: the table `groups`. */
const GROUPS = "req JOIN groups USING (request_id)";
/**
 * One row per rollout: the table `rollouts`, with `prompt_hash`, and with the reward as `complete` if the
 * group is complete.
 */
const ROLLOUTS = "rol";

/**
 * SQL for the rank, where ties share their mean rank, as in Spearman's correlation. Postgres can square ranks
 * without overflow, whatever the values are.
 */
const meanRank = (within: string, column: string): string =>
  `rank() OVER (PARTITION BY ${within} ORDER BY ${column}) + (count(*) OVER (PARTITION BY ${within}, ${column}) - 1) / 2.0`;

/** One row per group: Spearman's correlation `rho` between two columns, over the rollouts that have both. */
function withinGroups(first: string, other: string): string {
  const [x, y] = [first, other].map((column) => meanRank("request_id, group_index", column));
  const ranked = `SELECT k, request_id, group_index, ${x} AS x, ${y} AS y FROM rol WHERE ${first} IS NOT NULL AND ${other} IS NOT NULL`;
  return `(SELECT k, corr(x, y) AS rho FROM (${ranked}) AS ranked GROUP BY k, request_id, group_index) AS of_group`;
}

/** One row per complete group: its lowest and highest reward. */
const SPANS =
  "(SELECT k, min(complete) AS low, max(complete) AS high FROM rol GROUP BY k, request_id, group_index HAVING count(complete) > 0) AS span";

/** One row per error code among the rollouts without a reward, not counting abstentions. */
const CODES =
  "(SELECT k, error, count(*) AS n FROM rol WHERE reward IS NULL AND error <> 'abstained' GROUP BY k, error) AS code";

/** One row per rollout that has a reward and a label, including those of incomplete groups. */
const LABELLED = `(
  SELECT k, pass_rate, ${meanRank("k", "reward")} AS by_reward, ${meanRank("k", "pass_rate")} AS by_label
  FROM rol WHERE reward IS NOT NULL AND pass_rate IS NOT NULL
) AS ranked`;

/** One row per group: `n` rollouts with a label, of which `c` are fully correct. */
const PASSES =
  "(SELECT k, count(*) AS n, count(*) FILTER (WHERE pass_rate >= 1) AS c FROM rol WHERE pass_rate IS NOT NULL GROUP BY k, request_id, group_index) AS passes";

/**
 * SQL for pass@k, k = `drawn`: the probability that at least one of `drawn` rollouts is correct, averaged
 * over groups with at least `drawn` labels. Unbiased: 1 - C(n - c, drawn) / C(n, drawn) (Chen et al. 2021,
 * arXiv 2107.03374).
 */
function passAt(drawn: number): string {
  const missing = Array.from({ length: drawn }, (_, i) => `greatest(n - c - ${i}, 0)::float8 / (n - ${i})`);
  return `avg(CASE WHEN n >= ${drawn} THEN 1 - ${missing.join(" * ")} END)`;
}

/**
 * One row per group: `n` rollouts, `kinds` distinct candidates, and `part` = the sum of m ln m over
 * candidates, where m is the candidate's number of rollouts. A rollout without a candidate counts by its text.
 */
const KINDS =
  "(SELECT k, count(*) AS kinds, sum(m) AS n, sum(m * ln(m)) AS part FROM (SELECT k, request_id, group_index, count(*)::float8 AS m FROM rol GROUP BY k, request_id, group_index, coalesce(candidate_hash, text_hash, 'none ' || rollout_index)) AS kind GROUP BY k, request_id, group_index) AS spread";

/**
 * One row per repeated group, over all steps in the query. `rol` contains only groups that may be repeated.
 * Any other measure that spans several steps belongs in this query, too.
 */
export const OVER_STEPS = `(
  WITH keyed AS (
    SELECT k, request_id, group_index, md5(prompt_hash || string_agg(text_hash, '' ORDER BY rollout_index)) AS content
    FROM rol WHERE complete IS NOT NULL GROUP BY k, request_id, group_index, prompt_hash
  ), firsts AS (
    SELECT *, first_value(k) OVER of_content AS first_k, first_value(request_id) OVER of_content AS first_request,
      first_value(group_index) OVER of_content AS first_group
    FROM keyed WINDOW of_content AS (PARTITION BY content ORDER BY k, request_id, group_index)
  ), repeats AS (
    SELECT f.k, f.request_id, f.group_index, ${meanRank("f.request_id, f.group_index", "later.complete")} AS by_later,
      ${meanRank("f.request_id, f.group_index", "earlier.complete")} AS by_earlier
    FROM firsts f
      JOIN rol later ON later.request_id = f.request_id AND later.group_index = f.group_index
      JOIN rol earlier ON earlier.request_id = f.first_request AND earlier.group_index = f.first_group
        AND earlier.rollout_index = later.rollout_index
    WHERE f.first_k < f.k
  )
  SELECT k, count(*) AS size, coalesce(corr(by_later, by_earlier), CASE WHEN min(by_earlier) < max(by_earlier) THEN 0 END) AS rho
  FROM repeats GROUP BY k, request_id, group_index
) AS repeated`;

const LATENCY = "percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_p99_ms) FILTER (WHERE generations > failed)";
const LENGTH = "percentile_cont(0.5) WITHIN GROUP (ORDER BY length_tokens)";
/**
 * Condition for rollouts that are judged as a whole. Turns and calls are left out only if the spec extracts
 * an answer or a diff.
 */
const WHOLE = "left_out->'turns' IS NULL AND left_out->'calls' IS NULL";
/**
 * Number of answers in groups that were logged with a count of truncated answers, which older groups lack.
 */
const CUT_KNOWN = "sum(generations - failed) FILTER (WHERE cut IS NOT NULL)";
const DECIDED = "sum(ties)::float8 / nullif(sum(wins + losses + ties), 0)";

/** All measures, in the order of the reply's fields. */
export const MEASURES = [
  measure("rollouts", "count", ROLLOUTS, "count(*)"),
  measure("reward_mean", "reward", ROLLOUTS, "avg(complete)"),
  measure("unformatted_mean", "reward", ROLLOUTS, "avg(complete - format)"),
  measure("zero_variance_share", "share", SPANS, "avg((low = high)::int)::float8"),
  measure("parse_rate", "share", GROUPS, "sum(parsed)::float8 / nullif(sum(parsed + unparsed), 0)"),
  measure("nulls", "counts", CODES, "json_object_agg(error, n ORDER BY error)"),
  measure("abstained_share", "share", ROLLOUTS, "avg((error IS NOT DISTINCT FROM 'abstained')::int)::float8"),
  measure("malformed_share", "share", ROLLOUTS, "avg((NOT format_ok)::int)::float8"),
  measure("length_p50", "tokens", ROLLOUTS, LENGTH),
  measure("at_cap_share", "share", ROLLOUTS, "avg((finish_reason = 'length')::int)::float8"),
  measure("length_reward", "correlation", withinGroups("complete", "length_tokens"), "avg(rho)"),
  measure("duplicate_share", "share", ROLLOUTS, "avg((duplicate_of IS NOT NULL)::int)::float8"),
  measure("distinct_share", "share", KINDS, "avg(kinds / n)"),
  measure("candidate_entropy", "share", KINDS, "avg((ln(n) - part / n) / nullif(ln(n), 0))"),
  measure("pass_at_1", "share", PASSES, passAt(1)),
  measure("pass_at_4", "share", PASSES, passAt(4)),
  measure("pass_at_8", "share", PASSES, passAt(8)),
  measure("tie_share", "share", ROLLOUTS, DECIDED),
  measure("flip_rate", "share", GROUPS, "avg(position_flip_rate)"),
  measure("cyclic_share", "share", GROUPS, "sum(circles)::float8 / nullif(sum(triples), 0)"),
  measure("triples", "count", GROUPS, "sum(triples)::int"),
  measure("jam_share", "share", ROLLOUTS, "avg(jams_judge::int)::float8"),
  measure("label_correlation", "correlation", LABELLED, "corr(by_reward, by_label)"),
  measure("label_mean", "share", ROLLOUTS, "avg(pass_rate)"),
  measure("label_std", "share", LABELLED, "stddev_pop(pass_rate)"),
  measure("audit_correlation", "correlation", withinGroups("complete", "audit"), "avg(rho)"),
  measure("repeat_correlation", "correlation", OVER_STEPS, "avg(rho)"),
  measure("repeat_rollouts", "count", OVER_STEPS, "sum(size) FILTER (WHERE rho IS NOT NULL)::int"),
  measure("latency_p99_ms", "ms", GROUPS, LATENCY),
  measure("evidence_shown", "share", ROLLOUTS, `avg(shown) FILTER (WHERE ${WHOLE})`),
  measure("incomplete_share", "share", REQUESTS, `avg((warnings::text LIKE '%"group_incomplete%')::int)::float8`),
  measure("cut_share", "share", GROUPS, `sum(cut)::float8 / nullif(${CUT_KNOWN}, 0)`),
  measure("parts_correlation", "correlation", GROUPS, "avg(parts_correlation)"),
  measure("failed_share", "share", GROUPS, "sum(failed)::float8 / nullif(sum(generations), 0)"),
  measure("simulated_share", "share", REQUESTS, `avg((warnings::text LIKE '%"simulated%')::int)::float8`),
] as const;

export interface Drawn {
  /** Title of the chart; lines with the same title share a chart. */
  chart: string;
  /** Name of the line. */
  as: string;
  /** True if the line continues across steps without a value. */
  bridged?: true;
}

interface MeasurePage {
  /** The field's description in the reference. */
  words: string;
  /** The measure's line on the run page. */
  drawn?: Drawn;
}

const JUDGE = "verifier: ties, flips, cycles, unreadable";
const CUT = "cut at the limit, near duplicates";
const PASS = "right by labels: pass@k";

/** Used only by the page builder, so that a Worker's bundle does not include it. */
export const MEASURE_PAGES: Readonly<Record<(typeof MEASURES)[number]["name"], MeasurePage>> = {
  rollouts: { words: "rollouts" },
  reward_mean: { words: "mean reward of complete groups" },
  unformatted_mean: { words: "mean reward without the format penalty" },
  zero_variance_share: { words: "share of groups whose rewards are all equal" },
  parse_rate: { words: "share of answers from which a verdict could be parsed" },
  nulls: { words: "rollouts without a reward, by error code; excludes rollouts for which the spec abstains" },
  abstained_share: { words: "share of rollouts for which the spec abstains" },
  malformed_share: {
    words: "share of rollouts that break a format rule",
    drawn: { chart: "malformed answers", as: "malformed" },
  },
  length_p50: { words: "median length of the rollouts, tokens" },
  at_cap_share: {
    words: "share of rollouts that ended at their length limit",
    drawn: { chart: CUT, as: "at cap" },
  },
  length_reward: {
    words: "Spearman's correlation of reward and length within groups, mean over groups",
    drawn: { chart: "reward and length, within groups", as: "reward and length" },
  },
  duplicate_share: {
    words: "share of rollouts whose candidate duplicates another one of the group",
    drawn: { chart: CUT, as: "duplicates" },
  },
  distinct_share: {
    words:
      "distinct candidates per rollout of a group, mean over groups; a rollout without a candidate counts by its text",
    drawn: { chart: "distinct answers in a group", as: "different" },
  },
  candidate_entropy: {
    words: "entropy of a group's candidates divided by its maximum (all candidates distinct), mean over groups",
    drawn: { chart: CUT, as: "entropy" },
  },
  pass_at_1: {
    words: "probability that a rollout is fully correct by its label (pass_rate 1), mean over groups",
    drawn: { chart: PASS, as: "pass@1" },
  },
  pass_at_4: {
    words: "probability that at least one of 4 rollouts is fully correct, mean over groups with at least 4 labels",
    drawn: { chart: PASS, as: "pass@4" },
  },
  pass_at_8: {
    words: "probability that at least one of 8 rollouts is fully correct, mean over groups with at least 8 labels",
    drawn: { chart: PASS, as: "pass@8" },
  },
  tie_share: { words: "share of pairs that ended in a tie", drawn: { chart: JUDGE, as: "ties" } },
  flip_rate: {
    words: "share of pairs whose outcome changed with the order in which they were shown",
    drawn: { chart: JUDGE, as: "flips" },
  },
  cyclic_share: {
    words: "share of triples (three candidates with a winner in every pair) whose wins form a cycle",
    drawn: { chart: JUDGE, as: "cycles" },
  },
  triples: { words: "number of triples: three candidates with a winner in every pair" },
  jam_share: {
    words: "share of rollouts for which the verifier's answers are unreadable",
    drawn: { chart: JUDGE, as: "unreadable" },
  },
  label_correlation: { words: "Spearman's correlation of reward and pass_rate" },
  label_mean: { words: "mean pass_rate", drawn: { chart: "labels: mean pass rate", as: "pass rate" } },
  label_std: { words: "standard deviation of pass_rate over the rollouts that label_correlation counts" },
  audit_correlation: {
    words: "Spearman's correlation of reward and audit within groups, mean over the step's audited groups",
    drawn: { chart: "agreement with the audit", as: "audit", bridged: true },
  },
  repeat_correlation: {
    words:
      "Spearman's correlation of a group's rewards with those of the first time that the same prompt and rollouts were judged, mean over the step's repeated groups",
  },
  repeat_rollouts: { words: "number of rollouts in the step's repeated groups" },
  latency_p99_ms: { words: "p99 of the time to an answer per group, median over groups" },
  evidence_shown: {
    words: "share of a multi-turn rollout shown to the verifier, mean over rollouts that are judged as a whole",
    drawn: { chart: "agent runs: share shown", as: "shown" },
  },
  incomplete_share: { words: "share of judgements that cover only part of their gathered group" },
  cut_share: {
    words: "share of the verifier's answers that could not be read and ended at the token limit",
    drawn: { chart: "verifier's answers cut at the limit", as: "cut" },
  },
  parts_correlation: {
    words: "Spearman's correlation of each pair of signals that the reward names, within groups, mean over groups",
    drawn: { chart: "agreement of the reward's signals", as: "signals" },
  },
  failed_share: { words: "share of generations that ended without an answer" },
  simulated_share: { words: "share of requests whose verdicts were simulated" },
};
