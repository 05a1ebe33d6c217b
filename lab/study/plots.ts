// Draws the plots of early judging and settings from the tables of lab/results, so that page and
// plot agree. Measures nothing.
import { type ChartPoint, lineChart, type Series, scatterChart } from "../report/charts.ts";
import type { Figure } from "../report/figure.ts";

type Row = readonly string[];
/** A page of lab/results, or a table beside it, by its path there. */
type Read = (path: string) => string;

/** The rows of a page's first table that has these columns. Throws where there is none. */
function tableOf(page: string, columns: readonly string[]): Row[] {
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const lines = page.split("\n");
  const head = lines.findIndex((line) => columns.every((name) => cells(line).includes(name)));
  if (head < 0) throw new Error(`no table of ${columns.join(", ")}`);
  const names = cells(lines[head] as string);
  const after = lines.slice(head + 2);
  const end = after.findIndex((line) => !line.startsWith("|"));
  return after
    .slice(0, end < 0 ? undefined : end)
    .map((line) => columns.map((name) => cells(line)[names.indexOf(name)] ?? ""));
}

/** The rows of a CSV file; none of these columns holds a comma. */
function rowsOf(text: string, columns: readonly string[]): Row[] {
  const [head = "", ...lines] = text.trim().split("\n");
  const names = head.split(",");
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = ""]) => cell.replace(/^"|"$/g, ""));
  return lines.map((line) => columns.map((name) => cells(line)[names.indexOf(name)] ?? ""));
}

/** `0.35 (0.31 to 0.37)` or `+0.077 [+0.072, +0.082]`: a value with its interval. */
function measured(cell: string): { y: number; low: number; high: number } {
  const [y = Number.NaN, low = y, high = y] = [...cell.matchAll(/[+-]?\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
  return { y, low, high };
}

/** A series a value of `name`, in the order of their first rows. */
function seriesOf(rows: readonly Row[], name: (row: Row) => string, point: (row: Row) => ChartPoint): Series[] {
  return [...Map.groupBy(rows, name)].map(([key, group]) => ({ name: key, points: group.map(point) }));
}

const at = (row: Row, i: number): string => row[i] as string;

/** A point of a page's table: x in one column, a value with its interval in another. */
const toldAt =
  (x: number, y: number) =>
  (row: Row): ChartPoint => ({ x: Number(at(row, x)), ...measured(at(row, y)) });

/** A point of a CSV file: x, value, low and high in four columns from this one on. */
const boundedAt =
  (from: number) =>
  (row: Row): ChartPoint => {
    const [x, y, low, high] = row.slice(from, from + 4).map(Number) as [number, number, number, number];
    return { x, y, low, high };
  };

function early(read: Read): Figure {
  const rows = tableOf(read("early.md"), ["K", "spread", "early over gathered"]);
  return lineChart({
    title: "Time from the last arrival to the reward: early judging relative to gathering",
    description: "virtual time, saturated engine; medians of five steps with minimum and maximum",
    x: { label: "arrival spread, multiples of the judging time", log: true, ticks: [0.5, 1, 2, 4] },
    y: { label: "ratio, early / gathered", domain: [0, 1] },
    series: seriesOf(rows, (row) => `K = ${at(row, 0)}`, toldAt(1, 2)),
    rules: [
      { axis: "y", at: 0.4, name: "goal at 2, K = 8" },
      { axis: "y", at: 0.25, name: "goal at 2, K = 16" },
    ],
  });
}

function settings(read: Read): Figure {
  const names = ["judge", "variant", "samples", "generations", "tau", "tau_low", "tau_high"];
  const rows = rowsOf(read("settings/rows.csv"), names).filter(
    (row) => at(row, 1) === "as stated" && at(row, 2) === "8",
  );
  return scatterChart({
    title: "Settings for groups of 8: tau-b against generations",
    description: "each point is one `judge` setting; 95 % intervals, clustered by problem",
    x: { label: "generations per group", log: true },
    y: { label: "tau-b" },
    series: seriesOf(rows, (row) => at(row, 0), boundedAt(3)),
  });
}

const PLOTS = { early, settings };
const TOLD: Readonly<Record<keyof typeof PLOTS, string>> = {
  early: "early.md",
  settings: "settings.md",
};

/** The page and its figures by path within lab/results. @param read reads a file there */
export function plots(read: Read): Record<string, string> {
  const drawn = Object.entries(PLOTS).map(([name, draw]) => ({ name: name as keyof typeof PLOTS, figure: draw(read) }));
  const shown = drawn.map(
    ({ name, figure: { title } }) =>
      `## ${title}\n\n![${title}](plots/${name}.svg)\n\nData and method: [${TOLD[name]}](${TOLD[name]}).\n`,
  );
  const head =
    "# Early judging and settings: the plots\n\nDrawn by `npm run lab -- study --plots` from the tables of the stored reports in this folder, without new measurements.\n";
  return {
    "plots.md": `${head}\n${shown.join("\n")}`,
    ...Object.fromEntries(drawn.map(({ name, figure }) => [`plots/${name}.svg`, figure.standalone])),
  };
}
