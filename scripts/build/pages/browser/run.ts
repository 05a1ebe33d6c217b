// Owns the page of a run: its alarms, its measures over steps, its table of steps; new steps come
// as they are logged.
import { type ChartOptions, chart, type Point, saving } from "./charts.ts";
import { el, link, table } from "./dom.ts";
import { type AlarmSpan, type HealthRow, health, type RunHealth, run, type StepRow, steps } from "./log.ts";
import { figure, percent } from "./numbers.ts";

const LIVE_MS = 5000;

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

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);

function nullPoints(rows: readonly HealthRow[]): Point[] {
  const codes = [...new Set(rows.flatMap(({ nulls }) => Object.keys(nulls)))].sort();
  const share = ({ nulls, rollouts }: HealthRow, code: string) =>
    rollouts === 0 ? null : (nulls[code] ?? 0) / rollouts;
  return series(rows, Object.fromEntries(codes.map((code) => [code, (row: HealthRow) => share(row, code)])));
}

type Began = (...names: string[]) => number[];

function ofRewards(rows: readonly StepRow[], { rows: looked, alarms }: RunHealth, began: Began): ChartOptions[] {
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
      unit: "tau-b, share",
      points: series(rows, { "tau-b": (row) => row.tau_b_mean, ListAcc: (row) => row.list_acc }),
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
      unit: "Spearman",
      points: series(looked, { "reward and length": (row) => row.length_reward }),
      lines: [0.6],
      marks: began("length_reward"),
    },
  ];
}

function ofVerifier(rows: readonly StepRow[], { rows: looked }: RunHealth, began: Began): ChartOptions[] {
  return [
    {
      title: "judge: ties, flips, jams",
      unit: "share",
      points: series(looked, {
        ties: (row) => row.tie_share,
        flips: (row) => row.flip_rate,
        jams: (row) => row.jam_share,
      }),
      marks: began("judge_ties", "judge_flips", "jams_judge"),
    },
    {
      title: "verifier's answers",
      unit: "ms",
      points: series(rows, { "50 %": (row) => row.latency_ms.p50, "99 %": (row) => row.latency_ms.p99 }),
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

function charts(rows: readonly StepRow[], health: RunHealth): HTMLElement[] {
  const began: Began = (...names) =>
    health.alarms.filter(({ alarm }) => names.includes(alarm)).map(({ from_step }) => from_step);
  const all = [ofRewards, ofRollouts, ofVerifier].flatMap((of) => of(rows, health, began));
  return all.map(chart).filter((one) => one !== null);
}

function alarmList(alarms: readonly AlarmSpan[], href: (step: number) => string): HTMLElement {
  if (alarms.length === 0) return el("p", { class: "calm" }, "No alarm.");
  const told = alarms.map(({ alarm, level, from_step, to_step, evidence }) => {
    const until = to_step === null ? "now" : `step ${to_step}`;
    return el(
      "li",
      { class: to_step === null ? "on" : "over" },
      link(`/docs/alarms#${alarm}`, alarm),
      ` ${level}, step ${from_step} to ${until}: ${figure(evidence.value)} at `,
      link(href(evidence.step), `step ${evidence.step}`),
      ` (threshold ${figure(evidence.threshold)})`,
    );
  });
  return el("ul", { class: "alarm-list", "aria-label": "Alarms" }, ...told);
}

function csv(rows: readonly StepRow[]): string {
  const columns = Object.keys(rows[0] ?? {}) as (keyof StepRow)[];
  const cell = (value: unknown) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : `${value ?? ""}`;
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))]
    .map((line) => line.map(quoted).join(","))
    .join("\n");
}

const ROWS_SHOWN = 50;

function stepTable(rows: readonly StepRow[], href: (step: number) => string): HTMLElement {
  const shown = rows
    .filter(({ step }) => step !== null)
    .slice(-ROWS_SHOWN)
    .reverse();
  const caption =
    shown.length < rows.length ? `the last ${shown.length} of ${rows.length} steps` : `${shown.length} steps`;
  return table<StepRow>(
    caption,
    [
      {
        title: "step",
        cell: ({ step }) => link(href(step as number), `${step}`),
        by: ({ step }) => step,
        number: true,
      },
      { title: "reward", cell: (row) => figure(row.reward_mean), by: (row) => row.reward_mean, number: true },
      { title: "std", cell: (row) => figure(row.reward_std), by: (row) => row.reward_std, number: true },
      {
        title: "equal",
        cell: (row) => percent(row.zero_variance_share),
        by: (row) => row.zero_variance_share,
        number: true,
      },
      { title: "parse rate", cell: (row) => percent(row.parse_rate), by: (row) => row.parse_rate, number: true },
      { title: "tau-b", cell: (row) => figure(row.tau_b_mean), by: (row) => row.tau_b_mean, number: true },
      {
        title: "length",
        cell: (row) => figure(row.length_tokens.p50),
        by: (row) => row.length_tokens.p50,
        number: true,
      },
      { title: "generations", cell: (row) => figure(row.generations), by: (row) => row.generations, number: true },
      { title: "failed", cell: ({ errors }) => figure(sum(errors)), by: ({ errors }) => sum(errors), number: true },
    ],
    shown,
  );
}

/** The page, and what keeps it going: it looks for new steps until it is left. */
export async function runPage(id: string, owner: string | null): Promise<HTMLElement[]> {
  const [detail, found, all] = await Promise.all([run(id, owner), health(id, owner), steps(id, owner, null)]);
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const href = (step: number) => `/runs/${encodeURIComponent(id)}/steps/${step}${query}`;
  const rows = [...all];
  const place = el("div");
  const state = el("p", { class: "soft", "aria-live": "polite" });
  const draw = (current: RunHealth) => {
    const save = saving("CSV", `${id}.csv`, "text/csv", () => csv(rows));
    place.replaceChildren(
      alarmList(current.alarms, href),
      el("div", { class: "charts" }, ...charts(rows, current)),
      el("h2", {}, "Steps", save),
      stepTable(rows, href),
    );
    const { step = null } = rows.at(-1) ?? {};
    state.textContent = `${figure(detail.groups)} groups at the start of this page; last step ${figure(step)}.`;
  };
  draw(found);
  const look = async () => {
    if (!place.isConnected) return;
    const last = rows.at(-1)?.step ?? null;
    const more = document.hidden ? [] : await steps(id, owner, last).catch(() => []);
    const fresh = more.filter(({ step }) => step !== null && (last === null || step > last));
    if (fresh.length > 0) {
      rows.push(...fresh);
      draw(await health(id, owner).catch(() => found));
    }
    setTimeout(look, LIVE_MS);
  };
  setTimeout(look, LIVE_MS);
  const specs = detail.specs.map(({ spec_hash, requests }) =>
    el("li", {}, el("code", {}, spec_hash.slice(0, 19)), ` ${figure(requests)} requests`),
  );
  return [
    el("nav", { "aria-label": "Where" }, link("/runs", "Runs")),
    el("h1", {}, id),
    state,
    place,
    el("details", {}, el("summary", {}, `${specs.length} specs`), el("ul", {}, ...specs)),
  ];
}
