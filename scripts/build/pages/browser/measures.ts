// Decides which measures of a run are drawn over its steps, and how other runs are laid over them.

import type { StepSummary } from "../../../rescore/by-step.ts";
import type { Line } from "../chart-table.ts";
import { CHART_TABLE } from "./chart-table.ts";
import type { ChartOptions } from "./charts.ts";
import type { HealthRow, RunHealth, StepRow } from "./log.ts";
import { shortNames } from "./names.ts";
import type { Point } from "./series.ts";

/** The chart that marks where any alarm began. */
export const EVERY_ALARM = "reward, mean ± std";

/** Components of a spec without signals that are 0 where it has none of the kind. */
const OFTEN_NONE = ["format", "overlong"];

/** Whether two means are equal up to rounding, or both missing. */
const isAlike = (a: number | null, b: number | null): boolean =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));

/** Each signal's mean, and beside it its missing values by code, where there are any. */
function ofSignals(rows: readonly StepRow[]): Listed[] {
  const names = [...new Set(rows.flatMap(({ signals = {} }) => Object.keys(signals)))];
  return names.flatMap((name) => {
    const at = ({ signals }: StepRow) => signals?.[name];
    const codes = [...new Set(rows.flatMap((row) => Object.keys(at(row)?.nulls ?? {})))].sort();
    // The reward's own chart shows the same values.
    const repeats = rows.every((row) => isAlike(at(row)?.mean ?? null, row.reward_mean));
    const none = OFTEN_NONE.includes(name) && codes.length === 0 && rows.every((row) => (at(row)?.mean ?? 0) === 0);
    if (none) return [];
    const share = (row: StepRow, code: string) => {
      const signal = at(row);
      return signal === undefined || signal.rollouts === 0 ? null : (signal.nulls[code] ?? 0) / signal.rollouts;
    };
    const byCode = Object.fromEntries(codes.map((code) => [code, (row: StepRow) => share(row, code)]));
    const mean = {
      title: `signal ${name}`,
      unit: "mean",
      points: series(rows, { [name]: (row) => at(row)?.mean ?? null }),
    };
    const missing = { title: `${name} without a value`, unit: "share", points: series(rows, byCode) };
    return [...(repeats ? [] : [mean]), ...(codes.length === 0 ? [] : [missing])];
  });
}

const HOUR_MS = 3_600_000;

/** When each step began, in hours since the run did. */
export function hoursOf({ rows, health }: Pick<Drawn, "rows" | "health">): Map<number, number> {
  const began = [
    ...health.rows.map(({ step, at_ms }) => [step, at_ms] as const),
    ...rows.flatMap(({ step, first_at }) => (step === null ? [] : [[step, Date.parse(first_at)] as const])),
  ];
  const first = began.reduce((min, [, at_ms]) => Math.min(min, at_ms), Infinity);
  return new Map(began.map(([step, at_ms]) => [step, (at_ms - first) / HOUR_MS]));
}

const timed = (points: readonly Point[], hours: ReadonlyMap<number, number>): Point[] =>
  points.map((point) => {
    const at = hours.get(point.step);
    return at === undefined ? point : { ...point, hours: at };
  });

/** The drawn parts of one run. */
export interface Drawn {
  id: string;
  /** Its owner; null: whoever the server takes for it. */
  owner: string | null;
  rows: readonly StepRow[];
  health: RunHealth;
  /** Why the mean reward cannot rise; null where it can. */
  relative: string | null;
}

const series = <R extends { step: number | null }>(
  rows: readonly R[],
  selectors: Record<string, (row: R) => number | null>,
): Point[] =>
  Object.entries(selectors).flatMap(([name, value]) =>
    rows.flatMap((row) => (row.step === null ? [] : [{ step: row.step, value: value(row), series: name }])),
  );

/** A mean with a band of one standard deviation on each side. */
function rewardPoints(rows: readonly StepRow[]): Point[] {
  return rows.flatMap(({ step, reward_mean, reward_std }) => {
    if (step === null) return [];
    const point = { step, value: reward_mean, series: "reward" };
    if (reward_mean === null) return [point];
    const spread = reward_std ?? 0;
    return [{ ...point, low: reward_mean - spread, high: reward_mean + spread }];
  });
}

function nullPoints(rows: readonly HealthRow[]): Point[] {
  const codes = [...new Set(rows.flatMap(({ nulls }) => Object.keys(nulls)))].sort();
  const share = ({ nulls, rollouts }: HealthRow, code: string) =>
    rollouts === 0 ? null : (nulls[code] ?? 0) / rollouts;
  return series(rows, Object.fromEntries(codes.map((code) => [code, (row: HealthRow) => share(row, code)])));
}

/** A chart but for what the tables of measures and alarms add: lines, thresholds, and marks where an alarm began. */
type Listed = Omit<ChartOptions, "points" | "marks" | "section"> & { points?: Point[] };

const ofMean = ({ rows, relative }: Drawn): Listed => ({
  title: EVERY_ALARM,
  unit: "reward",
  points: rewardPoints(rows),
  ...(relative !== null && { note: relative }),
});

/** The rewards, and what moves as a policy learns. A mean that cannot rise comes last. */
function learning(drawn: Drawn): Listed[] {
  const { rows } = drawn;
  const progress: Listed[] = [
    { title: "labels: mean pass rate", unit: "share" },
    { title: "right by labels: pass@k", unit: "share" },
    {
      title: "groups with equal rewards",
      unit: "share",
      points: series(rows, { "equal rewards": (row) => row.zero_variance_share }),
    },
    { title: "distinct answers in a group", unit: "share" },
    ...ofSignals(rows),
  ];
  return drawn.relative === null ? [ofMean(drawn), ...progress] : [...progress, ofMean(drawn)];
}

const gaming = ({ rows }: Drawn): Listed[] => [
  { title: "malformed answers", unit: "share" },
  {
    title: "length",
    unit: "tokens",
    points: series(rows, { median: (row) => row.length_tokens.p50, "95 %": (row) => row.length_tokens.p95 }),
  },
  { title: "reward and length, within groups", unit: "Spearman's correlation" },
  { title: "cut at the limit, near duplicates", unit: "share" },
  {
    title: "agreement with labels",
    unit: "tau-b; ListAcc, share",
    points: series(rows, { "tau-b": (row) => row.tau_b_mean, ListAcc: (row) => row.list_acc }),
  },
  { title: "agreement with the audit", unit: "Spearman's correlation of reward and audit" },
];

/** Charts of the verifier's answers: without a question there is nothing in them but zeros. */
const ofAnswers = (rows: readonly StepRow[]): Listed[] => [
  {
    title: "parse rate",
    unit: "share",
    points: series(rows, { "parse rate": (row) => row.parse_rate }),
  },
  { title: "verifier: ties, flips, cycles, unreadable", unit: "share" },
  { title: "verifier's answers cut at the limit", unit: "share" },
];

const ofCost = (rows: readonly StepRow[]): Listed[] => [
  { title: "cost", unit: "US dollars a step", points: series(rows, { cost: (row) => row.usd ?? null }) },
  {
    title: "answer time",
    unit: "ms",
    points: series(rows, { median: (row) => row.latency_ms.p50, "99 %": (row) => row.latency_ms.p99 }),
  },
  { title: "generations", unit: "a step", points: series(rows, { generations: (row) => row.generations }) },
  {
    title: "verifier's tokens",
    unit: "a step",
    points: series(rows, { prompt: (row) => row.prompt_tokens, completion: (row) => row.completion_tokens }),
  },
];

/** The charts of a run by the question that they answer. */
function sectionsOf(drawn: Drawn): Record<string, Listed[]> {
  const { rows, health } = drawn;
  const asked = rows.some(({ generations }) => generations > 0);
  const sections: Record<string, Listed[]> = {
    "Is it learning?": learning(drawn),
    "Is it being gamed?": gaming(drawn),
    "Is the judge well?": [
      ...(asked ? ofAnswers(rows) : []),
      { title: "rollouts without a reward", unit: "share", points: nullPoints(health.rows) },
    ],
    "What does it cost?": asked ? ofCost(rows) : [],
  };
  const listed = new Set([...Object.values(sections).flat(), ...ofAnswers(rows)].map(({ title }) => title));
  const unlisted = CHART_TABLE.lines.filter(({ chart }) => !listed.has(chart));
  const others = new Map(unlisted.map(({ chart: title, unit }) => [title, { title, unit }]));
  sections["Is the judge well?"]?.push(...others.values());
  return sections;
}

function measuresOf(drawn: Drawn): ChartOptions[] {
  const { rows: looked, alarms } = drawn.health;
  const hours = hoursOf(drawn);
  const completed = (section: string, chart: Listed): ChartOptions => {
    const { title, points = [] } = chart;
    const marking = alarms.filter(({ alarm }) => title === EVERY_ALARM || CHART_TABLE.marks[title]?.includes(alarm));
    const lines = CHART_TABLE.lines.flatMap((line) => (line.chart === title ? measured(looked, line) : []));
    return {
      ...chart,
      section,
      hours,
      points: timed([...points, ...lines], hours),
      thresholds: CHART_TABLE.thresholds[title] ?? [],
      marks: marking.map(({ alarm, from_step }) => ({ step: from_step, label: alarm })),
    };
  };
  return Object.entries(sectionsOf(drawn)).flatMap(([section, charts]) =>
    charts.map((chart) => completed(section, chart)),
  );
}

function measured(rows: readonly HealthRow[], { measure, as, bridged }: Line): Point[] {
  const points = series(rows, { [as]: (row) => row[measure] ?? null });
  return bridged ? points.filter(({ value }) => value !== null) : points;
}

/** Lines of another run bear its name; its spread is left out. */
const renamed = (name: string, { points }: ChartOptions): Point[] => {
  const single = new Set(points.map(({ series }) => series)).size === 1;
  return points.map(({ low: _, high: __, ...point }) => ({
    ...point,
    run: name,
    series: single ? name : `${name}: ${point.series}`,
  }));
};

/**
 * The charts of a run with the same measures of others over them. Alarms and spec changes are
 * those of the first.
 */
export function measures(first: Drawn, others: readonly Drawn[], changes: readonly number[]): ChartOptions[] {
  const names = shortNames([first, ...others].map(({ id }) => id));
  const nameOf = ({ id }: Drawn) => names.get(id) as string;
  const laid = others.map((other) => ({ name: nameOf(other), charts: measuresOf(other) }));
  return measuresOf(first).map((chart) => {
    const over = laid.flatMap(({ name, charts }) => {
      const same = charts.find(({ title }) => title === chart.title);
      return same === undefined ? [] : renamed(name, same);
    });
    const ownPoints = laid.length === 0 ? chart.points : ownNamed(nameOf(first), chart);
    return {
      ...chart,
      points: [...ownPoints, ...over],
      changes,
      ...(laid.length > 0 && { runs: [...names.values()] }),
    };
  });
}

/** Beside others, a run's own single line bears its name. */
const ownNamed = (name: string, { points }: ChartOptions): Point[] => {
  const single = new Set(points.map(({ series }) => series)).size === 1;
  return points.map((point) => ({ ...point, run: name, ...(single && { series: name }) }));
};

/** A run's chart of rewards with those of scoring it again over them. */
export function withRescored(chart: ChartOptions, steps: readonly StepSummary[]): ChartOptions {
  const alone = new Set(chart.points.map(({ series }) => series)).size === 1;
  const logged = alone ? chart.points.map((point) => ({ ...point, series: "as logged" })) : chart.points;
  const rescored = steps.flatMap(({ step, new: { mean } }) =>
    step === null ? [] : [{ step, value: mean, series: "rescored" }],
  );
  return { ...chart, points: [...logged, ...timed(rescored, chart.hours ?? new Map())] };
}
