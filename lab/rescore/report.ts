// Defines what a run scored again looks like: the table on the terminal and the page with its charts.

import { html } from "../../scripts/build/reference/html.ts";
import type { EndLine } from "../../scripts/rescore/ask.ts";
import type { StepSummary } from "../../scripts/rescore/by-step.ts";
import { type ChartPoint, lineChart } from "../report/charts.ts";
import { type Cell, reportPage, shownNumber, tableHtml } from "../report/page.ts";

export interface Rescored {
  run_id: string;
  command: string;
  at: string;
  spec: unknown;
  end: EndLine;
  steps: readonly StepSummary[];
}

const percent = (share: number | null): string => (share === null ? "–" : `${shownNumber(100 * share)} %`);

/** Name, old, new. */
function rows({ end }: Rescored): [string, string, string][] {
  const both = (name: string, format: (side: EndLine["old"]) => string): [string, string, string] => [
    name,
    format(end.old),
    format(end.new),
  ];
  return [
    both("mean reward", ({ mean }) => shownNumber(mean)),
    both("standard deviation", ({ std }) => shownNumber(std)),
    both("groups with equal rewards", ({ zero_variance_share }) => percent(zero_variance_share)),
    both("rollouts without a reward", ({ nulls }) => shownNumber(nulls)),
  ];
}

/** The change, in one sentence. */
export function headline({ end }: Rescored): string {
  if (end.complete === 0) return `None of the ${end.groups} groups has all its rewards under both specs.`;
  const tau = end.rank_correlation.mean;
  const order = tau === null ? "tau-b is undefined in every group" : `tau-b within groups ${tau.toFixed(3)}`;
  return `In ${percent(end.best_changed_share)} of ${end.complete} groups the best rollout changes; ${order}.`;
}

/** As plain text: the headline, then old and new side by side. */
export function rescoredTable(rescored: Rescored): string {
  const table = [["", "old", "new"], ...rows(rescored)];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] as string).length)));
  const lines = table.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[i] as number))).join("  "),
  );
  return `${headline(rescored)}\n\n${lines.join("\n")}`;
}

type Numbered = StepSummary & { step: number };

function charts(steps: readonly StepSummary[]) {
  const numbered = steps.filter((summary): summary is Numbered => summary.step !== null);
  if (numbered.length < 2) return [];
  const points = (pick: (summary: Numbered) => number | null): ChartPoint[] =>
    numbered.flatMap((summary) => {
      const y = pick(summary);
      return y === null ? [] : [{ x: summary.step, y }];
    });
  const x = { label: "step" };
  const sides = (pick: (side: StepSummary["old"]) => number | null) => [
    { name: "old", points: points((summary) => pick(summary.old)) },
    { name: "new", points: points((summary) => pick(summary.new)) },
  ];
  return [
    lineChart({
      title: "Mean reward by step",
      description: "Over groups with all their rewards under both specs.",
      ...{ x, y: { label: "reward" }, series: sides(({ mean }) => mean) },
    }),
    lineChart({
      title: "Groups with equal rewards by step",
      description: "Such groups give a group-relative trainer no gradient.",
      ...{ x, y: { label: "share", domain: [0, 1] }, series: sides((side) => side.zero_variance_share) },
    }),
    lineChart({
      title: "Rank agreement of old and new rewards by step",
      description: "Mean over groups of Kendall's tau-b, and the share of groups whose best rollout changes.",
      ...{ x, y: { label: "tau-b, share", domain: [-1, 1] } },
      series: [
        { name: "tau-b within groups", points: points((summary) => summary.rank_correlation.mean) },
        { name: "share whose best changes", points: points((summary) => summary.best_changed_share) },
      ],
    }),
  ];
}

const COLUMNS = ["step", "groups", "mean old", "mean new", "equal old", "equal new", "tau-b", "best changes"];

const stepRow = (summary: StepSummary): Cell[] => [
  summary.step === null ? "none" : `${summary.step}`,
  summary.groups,
  ...[summary.old.mean, summary.new.mean, summary.old.zero_variance_share, summary.new.zero_variance_share],
  ...[summary.rank_correlation.mean, summary.best_changed_share],
];

/** The page, which says first what changes. */
export function rescoredPage(rescored: Rescored): string {
  const { run_id, end, steps, spec, command, at } = rescored;
  const drawn = charts(steps);
  return reportPage({
    title: `${run_id}, rescored`,
    subtitle: command,
    headline: headline(rescored),
    facts: [
      ["when", at],
      ["new spec", end.spec_hash],
      ["groups", shownNumber(end.groups)],
      ["rollouts", shownNumber(end.rollouts)],
    ],
    sections: [
      {
        title: "What changes",
        lead: "No verifier was called: the rewards are recomputed from the run's logged signals and verdicts, and equal those of a new scoring with the same verdicts. Means, deviations and shares are over groups with all their rewards under both specs.",
        content: [tableHtml({ caption: "Old and new", columns: ["", "old", "new"], rows: rows(rescored) })],
      },
      {
        title: "By step",
        content: [
          ...(drawn.length > 0 ? drawn : [html`<p>No charts: the run has fewer than two steps.</p>`]),
          tableHtml({ caption: "Each step", columns: COLUMNS, rows: steps.map(stepRow) }),
        ],
      },
      { title: "The new spec", content: [html`<pre tabindex="0"><code>${JSON.stringify(spec, null, 2)}</code></pre>`] },
    ],
  });
}
