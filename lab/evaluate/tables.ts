// A report's tables and their cells, for HTML and Markdown alike. Knows neither markup.
import type { Table } from "../report/page.ts";
import { SHARES } from "./figures/coverage.ts";
import { type Estimate, percent, plain } from "./figures/estimate.ts";
import { classifyEstimate, pairedDifference, pairedTauDifference, type Standing } from "./paired.ts";
import { FRONT_METRICS, frontStatus, type OffFront, type Point } from "./pareto.ts";
import type { Statistics } from "./summarise.ts";
import type { CellSummary, Summary } from "./summary.ts";

const METRIC_COLUMNS = ["ListAcc %", "tau-b", "parse rate %"];

type Metrics = Pick<CellSummary, "list_acc" | "tau_b" | "parse_rate">;
const metricCells = ({ list_acc, tau_b, parse_rate }: Metrics) => [
  percent(list_acc),
  plain(tau_b),
  percent(parse_rate),
];

/**
 * Every way of asking: the paper's table, its self-consistency rows and its ablation of
 * formulations.
 */
export function cellsTable({ cells, set, price }: Summary): Table {
  const dollars = price === null ? [] : ["$ per 1,000 lists"];
  return {
    caption: "Metrics by formulation and samples (95 % intervals)",
    columns: ["setting", ...METRIC_COLUMNS, "vs. chance", "lists", "failed", "tokens per list", ...dollars],
    rows: cells.map((cell) => [
      cell.cell,
      ...metricCells(cell),
      GUESSING[classifyEstimate(cell.list_acc, set.chance_list_acc)],
      cell.lists,
      Object.values(cell.failed).reduce((sum, n) => sum + n, 0),
      cell.tokens_per_list,
      ...dollars.map(() => cell.dollars_per_1000_lists),
    ]),
  };
}

const GUESSING: Record<Standing, string> = {
  above: "above",
  below: "below",
  open: "not distinguishable",
  unknown: "–",
};

const STANDINGS: Record<Standing, string> = {
  above: "better",
  below: "worse",
  open: "not distinguishable",
  unknown: "–",
};

type ByProblem = Pick<CellSummary, "by_problem">;

/** Two rows over the same lists: `one` is compared with `other`. */
export interface Pair {
  label: string;
  /** The row that `one` is compared with. */
  against: string;
  row: ByProblem;
  other: ByProblem;
}

/** The difference of a pair: `one` less the `other`, over the lists of both. */
export interface Difference {
  asked_as: string;
  less: string;
  list_acc: Estimate;
  tau_b: Estimate;
}

export const differencesOf = (
  pairs: readonly Pair[],
  statistics: Pick<Statistics, "seed" | "bootstrap">,
): Difference[] =>
  pairs.map(({ label, against, row, other }) => ({
    ...{ asked_as: label, less: against },
    list_acc: pairedDifference(row, other, statistics),
    tau_b: pairedTauDifference(row, other, statistics),
  }));

/** In a line of a terminal. */
export const differenceText = ({ asked_as, less, list_acc, tau_b }: Difference): string =>
  `${asked_as} minus ${less}: ListAcc ${percent(list_acc) ?? "–"} points (${STANDINGS[classifyEstimate(list_acc, 0)]})  tau-b ${plain(tau_b) ?? "–"} (${STANDINGS[classifyEstimate(tau_b, 0)]})`;

/**
 * Each pair's difference: in ListAcc, and in tau-b where lists have one; empty without pairs.
 */
export function pairedTables(differences: readonly Difference[]): Table[] {
  if (differences.length === 0) return [];
  const rowsBy = (metric: "list_acc" | "tau_b", shown: (difference: Estimate) => string | null) =>
    differences.map(({ asked_as, less, [metric]: difference }) => {
      return [asked_as, less, shown(difference), difference.n, STANDINGS[classifyEstimate(difference, 0)]] as const;
    });
  const table = (metric: string, unit: string, over: string, rows: ReturnType<typeof rowsBy>): Table => ({
    caption: `Paired differences in ${metric}, ${over} (95 % intervals)`,
    columns: ["setting", "baseline", unit, "lists compared", "verdict"],
    rows: rows.map((row) => [...row]),
  });
  const taus = rowsBy("tau_b", plain);
  return [
    table("ListAcc", "difference, percentage points", "over the same lists", rowsBy("list_acc", percent)),
    ...(taus.every(([, , , lists]) => lists === 0)
      ? []
      : [table("tau-b", "difference in tau-b", "over the lists where both are defined", taus)]),
  ];
}

/** ListAcc where lists with narrow margins are left out; null where no row tells it. */
export function coverageTable(cells: readonly CellSummary[]): Table | null {
  const coveredCells = cells.filter(({ coverage }) => coverage.length > 0);
  if (coveredCells.length === 0) return null;
  return {
    caption: "ListAcc % by coverage, the share of lists answered (95 % intervals; margins fixed)",
    columns: ["setting", ...SHARES.map((share) => `${100 * share} %`), "margin at 50 %", "AURC"],
    rows: coveredCells.map(({ cell, coverage, area_under_risk }) => [
      cell,
      ...coverage.map(({ list_acc }) => percent(list_acc)),
      coverage.find(({ share }) => share === 0.5)?.margin ?? null,
      area_under_risk === null ? null : area_under_risk.toFixed(3),
    ]),
  };
}

/** tau-b under each convention for the lists where it is 0/0. */
export function undefinedTauTable({ cells }: Summary): Table {
  return {
    caption: "tau-b by treatment of the lists where it is undefined (all win counts equal)",
    columns: ["setting", "undefined lists", "left out", "counted as 0", "counted as -1"],
    rows: cells.map(({ cell, tau_b }) => [
      cell,
      `${tau_b.undefined} of ${tau_b.undefined + tau_b.n}`,
      ...[tau_b.mean, tau_b.mean_zero, tau_b.mean_minus_one].map((mean) => plain({ mean, ci95: null })),
    ]),
  };
}

const TAG_ORDER = ["length", "bucket", "language", "difficulty", "generator", "split"];

/** One cell by one property of the lists. */
export function tagTables(cell: CellSummary): Table[] {
  return TAG_ORDER.flatMap((tag) => {
    const values = Object.entries(cell.by_tag[tag] ?? {});
    // With one value the table would only repeat the whole.
    if (values.length < 2) return [];
    return {
      caption: `${cell.cell} by ${tag}`,
      columns: [tag, ...METRIC_COLUMNS, "right", "wrong", "no selection"],
      rows: values
        .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
        .map(([value, metrics]) => {
          const { right, wrong, no_selection } = metrics.outcomes;
          return [value, ...metricCells(metrics), right, wrong, no_selection];
        }),
    };
  });
}

const PROBLEMS_SHOWN = 12;

/**
 * The problems on which the verifier is right least often: where to look for what it cannot see.
 */
export function problemTable({ cell, by_problem }: CellSummary): Table | null {
  const rows = Object.entries(by_problem).map(([problem, outcomes]) => {
    const { right, wrong, no_selection } = outcomes;
    return { problem, outcomes, lists: right + wrong + no_selection };
  });
  if (rows.length < 2) return null;
  const share = (row: (typeof rows)[0]) => row.outcomes.right / row.lists;
  return {
    caption: `${cell}: the ${Math.min(PROBLEMS_SHOWN, rows.length)} of ${rows.length} problems with the lowest ListAcc`,
    columns: ["problem", "lists", "right", "wrong", "no selection"],
    rows: rows
      .sort((a, b) => share(a) - share(b) || b.lists - a.lists || a.problem.localeCompare(b.problem, "en"))
      .slice(0, PROBLEMS_SHOWN)
      .map(({ problem, outcomes, lists }) => [problem, lists, outcomes.right, outcomes.wrong, outcomes.no_selection]),
  };
}

export function positionTable(cells: readonly CellSummary[]): Table | null {
  const swapped = cells.filter(({ position_flip_rate }) => position_flip_rate !== null);
  if (swapped.length === 0) return null;
  return {
    caption: "Position bias: verdicts that change when the order of a pair is swapped",
    columns: ["setting", "position-flip rate %", "lists with a pair parsed in both orders"],
    rows: swapped.map((cell) => {
      const rate = cell.position_flip_rate as Estimate;
      return [cell.cell, percent(rate), rate.n];
    }),
  };
}

const STATUS: Record<NonNullable<OffFront>, string> = {
  no_value: "no value",
  parse_rate_unknown: "parse rate unknown",
  parse_rate_low: "parse rate below 80 %",
  dominated: "dominated",
};

export function frontTable(points: readonly Point[]): Table {
  const status = FRONT_METRICS.map((metric) => frontStatus(points, metric));
  const word = (off: OffFront | undefined) => (off == null ? "on the Pareto front" : STATUS[off]);
  return {
    caption: `Cost (${points[0]?.cost_unit ?? "none"}) against both metrics`,
    columns: [
      "verifier",
      `cost (${points[0]?.cost_unit ?? "none"})`,
      "ListAcc %",
      "tau-b",
      "parse rate %",
      "ListAcc front",
      "tau-b front",
    ],
    rows: points
      .map((point, i) => ({ point, i }))
      .sort((a, b) => a.point.cost - b.point.cost)
      .map(({ point, i }) => [
        point.name,
        point.cost,
        percent({ mean: point.list_acc, ci95: null }),
        plain({ mean: point.tau_b, ci95: null }),
        percent({ mean: point.parse_rate, ci95: null }),
        word(status[0]?.[i]),
        word(status[1]?.[i]),
      ]),
  };
}
