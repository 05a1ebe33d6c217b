// The report of a load test: which sections a summary gets, and their tables. Charts: report-charts.ts.
import { exportsOf } from "../report/exports.ts";
import { type Cell, intervalText, type ReportSection, reportPage, shownNumber, type Table } from "../report/page.ts";
import { warmupCaution } from "./caution.ts";
import { headlineOf } from "./headline.ts";
import { kneePlace } from "./knee.ts";
import {
  distribution,
  frontierChart,
  latencyByRate,
  loadName,
  percentileCurve,
  throughputByRate,
  timeline,
  timeSplit,
} from "./report-charts.ts";
import type { Estimate, Point, Side, Summary } from "./summary-schema.ts";

/** A figure with its interval, such as `12.3 [11.9, 12.7]`. */
function withInterval({ value, ci95 }: Estimate): string {
  if (value === null) return "–";
  return ci95 === null ? shownNumber(value) : `${shownNumber(value)}\u00a0${intervalText(ci95)}`;
}

function stateOf({ overloaded, target, baseline_degraded }: Point): string {
  const notes = overloaded.length === 0 ? [] : [`overloaded: ${overloaded.join("; ")}`];
  if (baseline_degraded.length > 0) notes.push(`baseline degraded: ${baseline_degraded.join("; ")}`);
  if (target.generator.late) notes.push("the load generator was late");
  return notes.join("; ") || "ok";
}

function sidesOf(points: readonly Point[]): { name: string; point: Point; side: Side }[] {
  const isPaired = points.some(({ baseline }) => baseline !== null);
  return points.flatMap((point) =>
    (["target", "baseline"] as const).flatMap((name) => {
      const side = point[name];
      return side === null ? [] : [{ name: isPaired ? `${loadName(point)} ${name}` : loadName(point), point, side }];
    }),
  );
}

function resultTable({ points, load }: Summary): Table {
  return {
    caption: "Latency from the intended start, with 95 % intervals over the repeats",
    columns: [
      "Load",
      "Offered/s",
      "Achieved/s",
      "p50, ms",
      "p99, ms",
      "p99.9, ms",
      "Max, ms",
      `Goodput/s (${load.objective_ms} ms)`,
      "Failed",
      "State",
    ],
    rows: sidesOf(points).map(({ name, point, side }) => [
      name,
      side.offered_per_s.value,
      withInterval(side.achieved_per_s),
      withInterval(side.latency_ms.p50),
      withInterval(side.latency_ms.p99),
      withInterval(side.latency_ms.p999),
      side.latency_ms.max,
      withInterval(side.goodput_per_s),
      side.failed === 0 ? 0 : `${side.failed} of ${side.requests}`,
      side === point.target ? stateOf(point) : "",
    ]),
  };
}

function frontierTable({ frontier }: Summary): Table {
  return {
    caption: "Highest achieved rate by p99 limit",
    columns: ["p99 limit", "Requests/s", "Rewards/s", "Comparisons/s"],
    rows: frontier.map(({ p99_ms_max, requests_per_s, rewards_per_s, comparisons_per_s }) => [
      `${shownNumber(p99_ms_max)} ms`,
      requests_per_s,
      rewards_per_s,
      comparisons_per_s,
    ]),
  };
}

function verifierTable({ points }: Summary): Table {
  return {
    caption: "Reward throughput, tokens and cost",
    columns: [
      "Load",
      "Rewards/s",
      "Comparisons/s",
      "Tokens/s",
      "Parse rate",
      "Completion tokens per reward",
      "Prompt tokens per reward",
      "Null rewards",
      "$ per 1,000 rewards at this load",
      "$ per 1,000 rewards on fully busy GPUs",
    ],
    rows: sidesOf(points).map(({ name, side }): Cell[] => [
      name,
      side.rewards_per_s.value,
      side.comparisons_per_s.value,
      side.tokens_per_s.value,
      side.parse_rate,
      side.completion_tokens_per_reward,
      side.prompt_tokens_per_reward,
      side.null_rewards,
      side.dollars_per_1000_rewards.measured,
      side.dollars_per_1000_rewards.modelled,
    ]),
  };
}

function overheadTable(points: readonly Point[]): Table {
  const rows = points.flatMap((point): Cell[][] => {
    if (point.overhead_ms === null) return [];
    const { p50, p90, p99, mean } = point.overhead_ms;
    const note = point.baseline_degraded.length === 0 ? "" : `baseline degraded: ${point.baseline_degraded.join("; ")}`;
    return [[loadName(point), ...[p50, p90, p99, mean].map(withInterval), note]];
  });
  const columns = ["Load", "p50, ms", "p90, ms", "p99, ms", "Mean, ms", "Note"];
  return { caption: "Overhead: target minus baseline, with 95 % intervals over the repeats", columns, rows };
}

function errorTable(points: readonly Point[]): Table {
  const rows = sidesOf(points).flatMap(({ name, side }) =>
    Object.entries(side.errors).map(([code, count]): Cell[] => [name, code, count]),
  );
  return { caption: "Failed requests by code", columns: ["Load", "Code", "Requests"], rows };
}

function generatorTable(points: readonly Point[]): Table {
  return {
    caption: "Load generator: schedule error and resource use",
    columns: ["Load", "p50, ms", "p99, ms", "Max, ms", "Max in-flight requests", "CPU, cores"],
    rows: sidesOf(points).map(({ name, side: { generator } }): Cell[] => [
      name,
      generator.schedule_error_ms.p50,
      generator.schedule_error_ms.p99,
      generator.schedule_error_ms.max,
      generator.in_flight_max,
      generator.cpu_share_max,
    ]),
  };
}

const OPEN_LOOP =
  "Open loop: requests start on a schedule fixed before the run, regardless of replies, and latency counts from the intended " +
  "start. A server that stalls delays every request due in the meantime, and all of them are in the figures.";
const CLOSED_LOOP =
  "Closed loop: a fixed number of clients, each waiting for its reply before it sends again. A stall delays only as many requests as " +
  "there are clients, so these percentiles understate the latency of independent arrivals.";

const isSweep = ({ load, points }: Summary): boolean => load.loop === "open" && points.length > 1;

function sweepSections(summary: Summary): ReportSection[] {
  const { knee } = summary;
  if (!isSweep(summary)) return [];
  const lead = `The knee is ${knee.rule}. Here: ${kneePlace(knee, (rate) => `${shownNumber(rate)}/s`)}.`;
  return [
    { title: "Knee", lead, content: [throughputByRate(summary)] },
    { title: "Frontier", content: [...frontierChart(summary), frontierTable(summary)] },
  ];
}

function sectionsOf(summary: Summary): ReportSection[] {
  const { points, load, knee } = summary;
  const [first] = points;
  if (first === undefined) return [{ title: "Result", lead: "Nothing was measured before the run was stopped." }];
  const shown = points.find(({ rate }) => rate === knee.rate) ?? first;
  const paired = points.some(({ overhead_ms }) => overhead_ms !== null);
  const failed = points.some(({ target, baseline }) => target.failed > 0 || (baseline?.failed ?? 0) > 0);
  const loop = load.loop === "open" ? OPEN_LOOP : CLOSED_LOOP;
  const lead = warmupCaution(summary) ?? "";
  const [chart, distributions] = isSweep(summary)
    ? [latencyByRate(summary), [percentileCurve(summary), distribution(summary)]]
    : [percentileCurve(summary), [distribution(summary)]];
  const when = (isShown: boolean, section: () => ReportSection) => (isShown ? [section()] : []);
  return [
    { title: "Result", lead, content: [resultTable(summary), chart] },
    ...sweepSections(summary),
    ...when(paired, () => ({
      title: "Overhead",
      lead: "Target and baseline were measured alternately with the same arrivals and bodies, so the difference is the target's overhead, except where the baseline itself degraded.",
      content: [overheadTable(points)],
    })),
    { title: "Latency distribution", lead: loop, content: distributions },
    { title: "Timeline", content: timeline(shown, load.duration_s) },
    { title: "Where the time went", content: [timeSplit(summary)] },
    { title: "Rewards", content: [verifierTable(summary)] },
    ...when(failed, () => ({ title: "Failures", content: [errorTable(points)] })),
    { title: "Generator", content: [generatorTable(points)] },
  ];
}

const endpointText = ({ url, kind, model }: Summary["target"]) =>
  `${url} (${kind}${model === null ? "" : `, ${model}`})`;

/** For each side: one that was sent none may have been refused for it. */
function keyText({ target, baseline }: Summary): string {
  const describeKey = (name: string, side: Summary["target"]) => `${name} ${side.key_env ?? "none"}`;
  return [describeKey("target", target), ...(baseline === null ? [] : [describeKey("baseline", baseline)])].join(", ");
}

function factsOf(summary: Summary): [string, string][] {
  const { target, baseline, load, workload, environment: machine, points } = summary;
  const clients = `${points[0]?.concurrency ?? "no"} clients`;
  return [
    ["Target", endpointText(target)],
    ...(baseline === null ? [] : [["Baseline", endpointText(baseline)] satisfies [string, string]]),
    ["Key variables", keyText(summary)],
    ["Load", load.loop === "open" ? `open loop, ${load.arrivals}` : `closed loop, ${clients}`],
    ["Each point", `${load.repeats} repeats of ${load.duration_s} s after ${load.warmup_s} s of warm-up`],
    [
      "Workload",
      `${workload.name}: ${workload.items} bodies of ${workload.of}, sha256 ${workload.sha256.slice(0, 12)}`,
    ],
    [
      "Prompts",
      workload.marked ? "each has a unique prefix, so that prefix caches miss" : "repeated, so that prefix caches hit",
    ],
    ["Started", summary.started_at],
    ["Ended", summary.stopped_by === null ? summary.ended_at : `${summary.ended_at}, stopped by ${summary.stopped_by}`],
    ["Seed", String(summary.seed)],
    ["Spec", machine.spec_hashes.map((hash) => hash.slice(0, 19)).join(", ") || "not reported by replies"],
    ["Commit", machine.commit],
    [
      "Machine",
      `${machine.cpu}, ${machine.cores} cores, ${(machine.memory_bytes / 2 ** 30).toFixed(0)} GiB, ${machine.os}`,
    ],
    ["Versions", `kritai ${machine.kritai}, node ${machine.node}, undici ${machine.undici}`],
  ];
}

/**
 * The page for a summary, which needs nothing else, and its tables and charts as files, by name.
 */
export function reportOf(summary: Summary): { page: string; files: Record<string, string> } {
  const title = `Load test of ${new URL(summary.target.url).host}`;
  const subtitle = `npm run loadtest -- ${summary.command.join(" ")}`;
  const sections = sectionsOf(summary);
  const page = reportPage({ title, subtitle, headline: headlineOf(summary), facts: factsOf(summary), sections });
  return { page, files: exportsOf(sections) };
}
