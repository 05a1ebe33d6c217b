// Owns the study's report: what each way of asking reaches at which share of the tokens, in
// Markdown with tables and in SVG files of its own. Knows no verifier.
import { type ChartPoint, scatterChart } from "../report/charts.ts";
import { type Cell, type Estimate, LEVELS, NOISES, TOKENS } from "./cells.ts";

const shown = (value: number | null) => (value === null ? "-" : value.toFixed(3));
const interval = ({ mean, ci95 }: Estimate) =>
  ci95 === null ? shown(mean) : `${shown(mean)} (${shown(ci95[0])} to ${shown(ci95[1])})`;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

type Metric = "tau" | "top";

/** The ways that no cheaper or equally dear one beats, cheapest first. */
export function front(cells: readonly Cell[], metric: Metric): Cell[] {
  const value = (cell: Cell) => cell[metric].mean ?? Number.NEGATIVE_INFINITY;
  const beaten = (cell: Cell) =>
    cells.some(
      (other) =>
        other.share <= cell.share &&
        value(other) >= value(cell) &&
        (other.share < cell.share || value(other) > value(cell)),
    );
  return cells.filter((cell) => !beaten(cell)).sort((a, b) => a.share - b.share);
}

/** The cheapest way whose mean is at most `within` below the reference's, or null. */
export function cheapestWithin(cells: readonly Cell[], metric: Metric, within: number): Cell | null {
  const near = cells.filter((cell) => !cell.way.reference && (cell[`${metric}_gain`].mean ?? -1) >= -within);
  return near.sort((a, b) => a.share - b.share)[0] ?? null;
}

function cheapestRow(title: string, cells: readonly Cell[]): string {
  const cell = (metric: Metric) => {
    const found = cheapestWithin(cells, metric, 0.01);
    if (found === null) return "none | - | -";
    return `${found.way.name} | ${percent(found.share)} | ${interval(found[`${metric}_gain`])}`;
  };
  return `| ${title} | ${cell("tau")} | ${cell("top")} |`;
}

const titleOf = ({ level, style, n, noise }: Cell) =>
  `${level}, ${style}, n = ${n}${noise === "usual" ? "" : `, ${noise}`}`;

function grouped(cells: readonly Cell[]): Cell[][] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) groups.set(titleOf(cell), [...(groups.get(titleOf(cell)) ?? []), cell]);
  return [...groups.values()];
}

function fullTable(cells: readonly Cell[]): string {
  const onFront = { tau: new Set(front(cells, "tau")), top: new Set(front(cells, "top")) };
  const rows = [...cells]
    .sort((a, b) => a.share - b.share)
    .map((cell) => {
      const mark = (metric: Metric) => `${interval(cell[metric])}${onFront[metric].has(cell) ? " *" : ""}`;
      return `| ${cell.way.name} | ${cell.generations.toFixed(1)} | ${percent(cell.share)} | ${mark("tau")} | ${mark("top")} |`;
    });
  return `| way | generations | of the tokens | tau-b | top-1 |\n|---|---|---|---|---|\n${rows.join("\n")}`;
}

/** Chart of one cell group: soft, hard and the reference, tau-b or top-1 against the share of tokens. */
function chart(cells: readonly Cell[], metric: Metric): string {
  const points = (of: (cell: Cell) => boolean) =>
    cells.filter(of).map(
      (cell): ChartPoint => ({
        x: cell.share,
        y: cell[metric].mean ?? 0,
        low: cell[metric].ci95?.[0] ?? null,
        high: cell[metric].ci95?.[1] ?? null,
      }),
    );
  const named =
    (text: string) =>
    ({ way }: Cell) =>
      way.name.endsWith(text) || way.name.includes(`${text},`);
  const { markup } = scatterChart({
    title: `${metric === "tau" ? "tau-b" : "top-1"} against tokens: ${titleOf(cells[0] as Cell)}`,
    about: "share of the tokens of all pairs in both orders with four votes; 95 % intervals clustered by problem",
    x: { label: "share of the tokens", log: true },
    y: { label: metric === "tau" ? "tau-b" : "top-1" },
    series: [
      { name: "soft", points: points(named(", soft")) },
      { name: "hard", points: points(named(", hard")) },
      { name: "both orders x 4", points: points(({ way }) => way.reference === true) },
    ],
  });
  return markup.slice(markup.indexOf("<svg", markup.indexOf('role="img"') - 10), markup.lastIndexOf("</svg>") + 6);
}

/** The charts, by file name. */
export function charts(cells: readonly Cell[]): Record<string, string> {
  const groups = grouped(cells).filter(([one]) => one?.n === 16 && one.noise === "usual");
  return Object.fromEntries(
    groups.flatMap((group) => {
      const { level, style } = group[0] as Cell;
      return (["tau", "top"] as const).map((metric) => [`${metric}-${level}-${style}.svg`, chart(group, metric)]);
    }),
  );
}

const parameters = () =>
  [
    ...Object.entries(LEVELS).map(
      ([name, own]) => `| ${name} | discrimination ${own.discrimination}, candidate bias ${own.candidate_bias} |`,
    ),
    ...Object.entries(NOISES).map(
      ([name, own]) =>
        `| ${name} | pair bias ${own.pair_bias}, position bias ${own.position_bias}, its spread ${own.position_spread} |`,
    ),
  ].join("\n");

/** The page. @param how the command, the commit and the lists; @param folder of the charts, from the page */
export function studyPage(how: string, cells: readonly Cell[], folder: string): string {
  const groups = grouped(cells);
  const named = Object.keys(charts(cells));
  return `# Schedules: the order against its tokens

${how}

Every way of asking is the product's own code (schedule, orders, samples, budget, score) over the same lists, against a simulated verifier. The reference is what is asked today where the order
matters: every pair, both orders, four votes each, the majority. "Of the tokens" is the share of its tokens; a generation takes ${TOKENS.direct.prompt} tokens of prompt and ${TOKENS.direct.completion} (direct) or ${TOKENS.thinking.completion} (thinking) generated ones,
alike for every pair, so that shares of tokens are shares of generations. Intervals are 95 %, drawn by problem.

**The verifier is simulated.** Log-odds of the first of a pair: discrimination x difference of pass
rates + candidate bias (normal, one draw a candidate) + pair bias (normal, one a pair) + position
bias. A \`direct\` verifier's letter has these odds and its soft verdict is their probability; a
\`thinking\` one adds logistic noise for its trace and is then nearly certain of its letter, so that
its letters are as often right. The levels are set so that the reference reaches about 0.86, 0.73
and 0.55 at n = 16. No real model was measured here: what holds for one must be measured with it.

| parameters | log-odds |
|---|---|
${parameters()}

## The cheapest way within 0.01 of the reference

| verifier | tau-b: way | of the tokens | gain over the reference | top-1: way | of the tokens | gain over the reference |
|---|---|---|---|---|---|---|
${groups.map((group) => cheapestRow(titleOf(group[0] as Cell), group)).join("\n")}

## What each way reaches

\`*\` marks the Pareto front of the row's metric.

${named.map((name) => `![${name}](${folder}/${name})`).join("\n")}

${groups.map((group) => `### ${titleOf(group[0] as Cell)} (${group[0]?.lists} lists)\n\n${fullTable(group)}`).join("\n\n")}
`;
}
