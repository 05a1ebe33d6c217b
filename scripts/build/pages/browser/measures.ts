// Owns which measures of a run are drawn over its steps, and how other runs are laid over them.

import type { StepSummary } from "../../../lab/rescore/by-step.ts";
import type { ChartOptions, Point } from "./charts.ts";
import type { HealthRow, RunHealth, StepRow } from "./log.ts";

/** What of one run is drawn. */
export interface Drawn {
  id: string;
  /** Whose it is; null: whoever the server takes for it. */
  owner: string | null;
  rows: readonly StepRow[];
  health: RunHealth;
}

const series = <R extends { step: number | null }>(
  rows: readonly R[],
  of: Record<string, (row: R) => number | null>,
): Point[] =>
  Object.entries(of).flatMap(([name, value]) =>
    rows.flatMap((row) => (row.step === null ? [] : [{ step: row.step, value: value(row), series: name }])),
  );

function rewardPoints(rows: readonly StepRow[]): Point[] {
  return rows.flatMap(({ step, reward_mean, reward_std }) => {
    if (step === null) return [];
    const point = { step, value: reward_mean, series: "reward" };
    const spread = reward_std ?? 0;
    return [reward_mean === null ? point : { ...point, low: reward_mean - spread, high: reward_mean + spread }];
  });
}

function nullPoints(rows: readonly HealthRow[]): Point[] {
  const codes = [...new Set(rows.flatMap(({ nulls }) => Object.keys(nulls)))].sort();
  const share = ({ nulls, rollouts }: HealthRow, code: string) =>
    rollouts === 0 ? null : (nulls[code] ?? 0) / rollouts;
  return series(rows, Object.fromEntries(codes.map((code) => [code, (row: HealthRow) => share(row, code)])));
}

type Began = (...names: string[]) => number[];

function ofRewards(rows: readonly StepRow[], { rows: looked, alarms }: RunHealth, began: Began): ChartOptions[] {
  const audited = looked.filter(({ audit_correlation }) => audit_correlation !== null);
  return [
    {
      title: "reward, mean ± std",
      unit: "reward",
      points: rewardPoints(rows),
      marks: alarms.map(({ from_step }) => from_step),
    },
    {
      title: "parse rate",
      unit: "share",
      points: series(rows, { "parse rate": (row) => row.parse_rate }),
      lines: [0.95, 0.8],
      marks: began("parse_rate_low"),
    },
    {
      title: "groups with equal rewards",
      unit: "share",
      points: series(rows, { "zero variance": (row) => row.zero_variance_share }),
      lines: [0.3],
      marks: began("flat_rewards"),
    },
    { title: "rollouts without a reward", unit: "share", points: nullPoints(looked), marks: began("nulls") },
    {
      title: "agreement with labels",
      unit: "tau-b; ListAcc, share",
      points: series(rows, { "tau-b": (row) => row.tau_b_mean, ListAcc: (row) => row.list_acc }),
      marks: began("proxy_gap"),
    },
    {
      // Steps without an audited group have no point, and the line goes on to the next that has one.
      title: "agreement with the second judge",
      unit: "Spearman's correlation of reward and audit",
      points: series(audited, { audit: (row) => row.audit_correlation }),
      marks: began("proxy_gap"),
    },
  ];
}

function ofRollouts(rows: readonly StepRow[], { rows: looked }: RunHealth, began: Began): ChartOptions[] {
  return [
    {
      title: "length",
      unit: "tokens",
      points: series(rows, { median: (row) => row.length_tokens.p50, "95 %": (row) => row.length_tokens.p95 }),
      marks: began("length_drift"),
    },
    {
      title: "cut at the limit, near duplicates",
      unit: "share",
      points: series(looked, { "at cap": (row) => row.at_cap_share, duplicates: (row) => row.duplicate_share }),
      marks: began("at_cap", "near_duplicates"),
    },
    {
      title: "reward and length, within groups",
      unit: "Spearman's correlation",
      points: series(looked, { "reward and length": (row) => row.length_reward }),
      lines: [0.6],
      marks: began("length_reward"),
    },
  ];
}

function ofVerifier(rows: readonly StepRow[], { rows: looked }: RunHealth, began: Began): ChartOptions[] {
  return [
    {
      title: "judge: ties, flips, circles, jams",
      unit: "share",
      points: series(looked, {
        ties: (row) => row.tie_share,
        flips: (row) => row.flip_rate,
        circles: (row) => row.cyclic_share,
        jams: (row) => row.jam_share,
      }),
      marks: began("judge_ties", "judge_flips", "judge_cycles", "jams_judge"),
    },
    {
      title: "time to an answer",
      unit: "ms",
      points: series(rows, { median: (row) => row.latency_ms.p50, "99 %": (row) => row.latency_ms.p99 }),
      marks: began("verifier_slow"),
    },
    { title: "generations", unit: "a step", points: series(rows, { generations: (row) => row.generations }) },
    {
      title: "verifier's tokens",
      unit: "a step",
      points: series(rows, { prompt: (row) => row.prompt_tokens, completion: (row) => row.completion_tokens }),
    },
  ];
}

function measuresOf({ rows, health }: Drawn): ChartOptions[] {
  const began: Began = (...names) =>
    health.alarms.filter(({ alarm }) => names.includes(alarm)).map(({ from_step }) => from_step);
  return [ofRewards, ofRollouts, ofVerifier].flatMap((of) => of(rows, health, began));
}

/** Lines of another run bear its name; its spread is left out. */
const renamed = (id: string, { points }: ChartOptions): Point[] => {
  const single = new Set(points.map(({ series }) => series)).size === 1;
  return points.map(({ step, value, series }) => ({ step, value, series: single ? id : `${id}: ${series}` }));
};

/**
 * The charts of a run with the same measures of others over them. Alarms and spec changes are
 * those of the first.
 */
export function measures(first: Drawn, others: readonly Drawn[], changes: readonly number[]): ChartOptions[] {
  const laid = others.map((one) => ({ id: one.id, charts: measuresOf(one) }));
  return measuresOf(first).map((chart) => {
    const over = laid.flatMap(({ id, charts }) => {
      const same = charts.find(({ title }) => title === chart.title);
      return same === undefined ? [] : renamed(id, same);
    });
    const own = over.length === 0 ? chart.points : ownNamed(first.id, chart);
    return { ...chart, points: [...own, ...over], changes };
  });
}

/** Beside others, a run's own single line bears its name. */
const ownNamed = (id: string, { points }: ChartOptions): Point[] => {
  const single = new Set(points.map(({ series }) => series)).size === 1;
  return single ? points.map((point) => ({ ...point, series: id })) : [...points];
};

/** A run's chart of rewards with those of scoring it again over them. */
export function withRescored(chart: ChartOptions, steps: readonly StepSummary[]): ChartOptions {
  const alone = new Set(chart.points.map(({ series }) => series)).size === 1;
  const logged = alone ? chart.points.map((point) => ({ ...point, series: "as logged" })) : chart.points;
  const again = steps.flatMap(({ step, new: { mean } }) =>
    step === null ? [] : [{ step, value: mean, series: "scored again" }],
  );
  return { ...chart, points: [...logged, ...again] };
}
