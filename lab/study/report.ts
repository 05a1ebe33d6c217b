// The study's report: what each way of asking reaches at which share of the tokens, in Markdown with tables
// and in separate SVG files.
import { type ChartPoint, scatterChart } from "../report/charts.ts";
import { latexTable, slugOf } from "../report/exports.ts";
import type { Figure } from "../report/figure.ts";
import { type Cell, LEVELS, NOISES, TOKENS } from "./cells.ts";
import { interval, middleOf, percent, rivalrySections, titleOf } from "./rivalry-tables.ts";

type Metric = "tau" | "top";

/** The level of a real verifier, whose strength is not known. */
export const MEASURED = "measured";

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
  const near = cells.filter(
    (cell) => !cell.way.reference && !cell.way.random && (cell[`${metric}_gain`].mean ?? -1) >= -within,
  );
  return near.sort((a, b) => a.share - b.share)[0] ?? null;
}

/** How far below the reference a way may be that counts as coming to it. */
export const NEAR = 0.01;

function cheapestRow(title: string, cells: readonly Cell[]): string {
  const cell = (metric: Metric) => {
    const found = cheapestWithin(cells, metric, NEAR);
    if (found === null) return "none | - | -";
    return `${found.way.name} | ${percent(found.share)} | ${interval(found[`${metric}_gain`])}`;
  };
  return `| ${title} | ${cell("tau")} | ${cell("top")} |`;
}

/** The cells of each verifier and list length. */
export function grouped(cells: readonly Cell[]): Cell[][] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) groups.set(titleOf(cell), [...(groups.get(titleOf(cell)) ?? []), cell]);
  return [...groups.values()];
}

const COLUMNS = ["way", "generations per list", "tokens, % of the reference", "tau-b", "top-1"];

/** The same as LaTeX, by file name. */
export const latexTables = (cells: readonly Cell[]): Record<string, string> =>
  Object.fromEntries(
    grouped(cells).map((group) => {
      const caption = titleOf(group[0] as Cell);
      const rows = [...group]
        .sort((a, b) => a.share - b.share)
        .map(({ way, generations, share, tau, top }) => [
          way.name,
          Number(generations.toFixed(1)),
          Number((100 * share).toFixed(1)),
          interval(tau),
          interval(top),
        ]);
      return [
        `${slugOf(caption)}.tex`,
        latexTable({ caption: `${caption}: ranking quality against tokens`, columns: COLUMNS, rows }),
      ];
    }),
  );

/** Whether even the reference's order is not distinguishable from guessing, whose tau-b is 0. */
function isGuessing(cells: readonly Cell[]): boolean {
  const { ci95 } = (cells.find(({ way }) => way.reference) as Cell).tau;
  return ci95 === null || ci95[0] <= 0;
}

const countOf = (groups: readonly unknown[]): string => (groups.length === 1 ? "1 pair" : `${groups.length} pairs`);

/** For how many verifiers a cheaper way reaches the reference, and how cheap it is. */
export function studyHeadline(cells: readonly Cell[]): string {
  const all = grouped(cells);
  const groups = all.filter((group) => !isGuessing(group));
  const guessing = all.filter(isGuessing);
  const lost =
    guessing.length === 0
      ? ""
      : `For ${countOf(guessing)} of a verifier and a list length, even the reference's ranking is not distinguishable from chance (tau-b ${guessing
          .map((group) => interval((group.find(({ way }) => way.reference) as Cell).tau))
          .join("; ")}), so these figures cannot show which schedule is better.`;
  if (groups.length === 0) return lost;
  const found = groups.flatMap((group) => cheapestWithin(group, "tau", 0.01) ?? []);
  const shares = found.map(({ share }) => share).sort((a, b) => a - b);
  const middle = shares[Math.floor((shares.length - 1) / 2)] ?? 1;
  const reached =
    found.length === 0
      ? `None of ${countOf(groups)} of a verifier and a list length comes within 0.01 of the reference's tau-b with fewer tokens.`
      : `For ${found.length} of ${countOf(groups)} of a verifier and a list length, a cheaper schedule comes within 0.01 of the reference's tau-b, at a median of ${percent(middle)} of its tokens.`;
  return lost === "" ? reached : `${reached} ${lost}`;
}

/**
 * Chart of one cell group: soft, hard and the reference, tau-b or top-1 against the share of
 * tokens.
 */
function chart(cells: readonly Cell[], metric: Metric): Figure {
  const best = new Set(front(cells, metric));
  const points = (matches: (cell: Cell) => boolean) =>
    cells.filter(matches).map(
      (cell): ChartPoint => ({
        // The ways that nothing beats by name; the others are in cells.csv.
        ...(best.has(cell) && { label: cell.way.name }),
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
  return scatterChart({
    title: `${metric === "tau" ? "tau-b" : "top-1"} against tokens: ${titleOf(cells[0] as Cell)}`,
    description: "x: tokens relative to all pairs in both orders with four votes; 95 % intervals clustered by problem",
    // As a picture of a page it shrinks with a phone, writing and all.
    width: 480,
    x: { label: "share of the tokens", log: true },
    y: { label: metric === "tau" ? "tau-b" : "top-1" },
    series: [
      { name: "soft", points: points(named(", soft")) },
      { name: "hard", points: points(named(", hard")) },
      { name: "both orders x 4", points: points(({ way }) => way.reference === true) },
    ],
  });
}

/** The charts, by file name. */
export function charts(cells: readonly Cell[]): Record<string, string> {
  const groups = middleOf(grouped(cells));
  return Object.fromEntries(
    groups.flatMap((group) => {
      const { level, style } = group[0] as Cell;
      return (["tau", "top"] as const).map((metric) => [
        `${metric}-${level}-${style}.svg`,
        chart(group, metric).standalone,
      ]);
    }),
  );
}

/** The figures of an order drawn by lot on the same lists. */
function byLot(group: readonly Cell[]): string {
  const cell = group.find(({ way }) => way.random === true);
  if (cell === undefined) return "";
  return `Random order (\`random\`, without a verifier), n = ${cell.n}: tau-b ${interval(cell.tau)}, top-1 ${interval(cell.top)}.`;
}

const parameters = () =>
  [
    ...Object.entries(LEVELS).map(
      ([name, level]) => `| ${name} | discrimination ${level.discrimination}, candidate bias ${level.candidate_bias} |`,
    ),
    ...Object.entries(NOISES).map(
      ([name, noise]) =>
        `| ${name} | pair bias ${noise.pair_bias}, position bias ${noise.position_bias}, with spread ${noise.position_spread} |`,
    ),
  ].join("\n");

const verifierText = `**The verifier is simulated.** Log-odds of the first of a pair: discrimination x difference of pass
rates + candidate bias (normal, one draw per candidate) + pair bias (normal, one per pair) + position
bias. A \`direct\` verifier draws its letter from these odds, and its soft verdict is their probability. A
\`thinking\` verifier adds logistic noise for its trace and is then nearly certain of its letter, so its
letters are right equally often. In a list it chooses by Luce's choice rule with the same noise. The
levels are set so that the reference reaches a tau-b of about 0.86, 0.73 and 0.55 at n = 16. No real model
was measured here: \`--verifier URL\` measures one.

| parameters | log-odds |
|---|---|
${parameters()}
`;

const measuredText = (
  verifier: string,
) => `**The verifier is real**: ${verifier}, used through the product's own scoring; token counts
are as reported by the server. A comparison that several schedules share was sent once.
`;

/**
 * The page.
 * @param how the command, the commit and the lists
 * @param folder of the charts, from the page
 * @param verifier a real one's name; null for the simulated ones
 */
export function studyPage(how: string, cells: readonly Cell[], folder: string, verifier: string | null = null): string {
  const groups = grouped(cells);
  const named = Object.keys(charts(cells));
  const { rules, candidate } = TOKENS.direct;
  const simulated = `a generation costs ${rules} prompt tokens plus ${candidate} per
candidate, and ${TOKENS.direct.completion} (direct) or ${TOKENS.thinking.completion} (thinking) completion tokens.`;
  return `# Schedules: ranking quality against tokens

**${studyHeadline(cells)}**

${how}

Every row runs the product's own code (schedule, orders, samples, budget, score) on the same
lists. The reference is every pair in both orders with a majority of four votes each. "Tokens" is
relative to the tokens of the reference${verifier === null ? `; ${simulated}` : "."}
Intervals are 95 %, clustered by problem.

${verifier === null ? verifierText : measuredText(verifier)}
## The cheapest schedule within 0.01 of the reference

n = 16 where available, at the usual noise; every other verifier and list length: [cheapest.csv](${folder}/cheapest.csv).

| verifier | tau-b: schedule | tokens | gain over the reference | top-1: schedule | tokens | gain over the reference |
|---|---|---|---|---|---|---|
${middleOf(groups)
  .map((group) => cheapestRow(titleOf(group[0] as Cell), group))
  .join("\n")}

${groups.map(byLot).find((text) => text !== "") ?? ""}

${rivalrySections(groups)}

## Scores

tau-b and top-1 of the ranking by each score, n = 16 where available: [scores.csv](${folder}/scores.csv), one row per schedule and score.

## The Pareto front

The schedules that are not beaten by one of equal or lower cost, at the usual noise, n = 16 where available. Every schedule, verifier and noise is a row
of [cells.csv](${folder}/cells.csv), where \`waves\` counts the sequential rounds of comparisons. Every comparison of two schedules is a row of
[rivalries.csv](${folder}/rivalries.csv).

${named.map((name) => `![${name}](${folder}/${name})`).join("\n")}
`;
}
