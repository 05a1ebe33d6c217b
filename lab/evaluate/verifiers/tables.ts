// The tables that every benchmark has: by subset, by difficulty and generator, over the items of which a
// verifier was surest, and its surest mistakes.
import type { Html } from "../../../scripts/build/reference/html.ts";
import { barChart } from "../../report/charts.ts";
import type { Table } from "../../report/page.ts";
import { areaUnderRisk, coverageOf } from "../figures/coverage.ts";
import { percent, plain } from "../figures/estimate.ts";
import type { Judged, Settings } from "./items/benchmark.ts";
import { share } from "./items/shares.ts";
import type { VerifierSummary } from "./summary.ts";

type All = readonly Judged<unknown>[];

const credit = ({ outcome }: Judged<unknown>) => outcome.credit;

/** The main figure, and the share of items right in each subset. */
export function resultBars({ name, value }: VerifierSummary["main"], judged: All, settings: Settings): Html {
  const subsets = [...Map.groupBy(judged, ({ item }) => item.subset)];
  const shares = subsets.map(([subset, members]) => ({
    name: subset,
    estimate: share(`subset ${subset}`, members, credit, settings),
  }));
  const bars = [{ name, estimate: value }, ...(shares.length < 2 ? [] : shares)];
  return barChart({
    title: shares.length < 2 ? name : `${name}, and the share of items right by subset`,
    description: "Error bars: 95 % intervals.",
    value: { label: "share", domain: [0, 1] },
    bars: bars.map(({ name: bar, estimate: { mean, ci95 } }) => ({
      name: bar,
      value: mean ?? Number.NaN,
      low: ci95?.[0] ?? null,
      high: ci95?.[1] ?? null,
    })),
  });
}

export function subsetTable(judged: All, settings: Settings): Table[] {
  const subsets = [...Map.groupBy(judged, ({ item }) => item.subset)];
  if (subsets.length < 2) return [];
  const rows = subsets.map(([name, members]) => {
    const value = share(`subset ${name}`, members, credit, settings);
    return [name, percent(value), value.n];
  });
  return [{ caption: "Share of items right by subset (95 % intervals)", columns: ["subset", "%", "items"], rows }];
}

/** A row a difficulty and a column a generator; of a benchmark that tells neither none. */
export function difficultyTable(judged: All, settings: Settings): Table[] {
  const known = judged.filter(({ item }) => item.difficulty !== null || item.generator !== null);
  if (known.length === 0) return [];
  const named = (value: string | null) => value ?? "unknown";
  const generators = [...new Set(known.map(({ item }) => named(item.generator)))].sort();
  const difficulties = [...Map.groupBy(known, ({ item }) => named(item.difficulty))];
  if (generators.length === 1 && difficulties.length === 1) return [];
  const cell = (name: string, members: All) => {
    const value = share(name, members, credit, settings);
    return value.mean === null ? null : `${percent(value)} (${value.n})`;
  };
  return [
    {
      caption: "Share of items right by difficulty and generator, % (items)",
      columns: ["difficulty", ...generators, "all"],
      rows: difficulties.map(([difficulty, members]) => [
        difficulty,
        ...generators.map((generator) =>
          cell(
            `${difficulty} ${generator}`,
            members.filter(({ item }) => named(item.generator) === generator),
          ),
        ),
        cell(`${difficulty} all`, members),
      ]),
    },
  ];
}

export function coverageTable(judged: All, settings: Settings): Table[] {
  if (judged.every(({ outcome }) => outcome.margin === null)) return [];
  const lists = judged.map(({ item, outcome }) => ({
    right: outcome.credit === 1,
    margin: outcome.margin,
    problem: item.problem,
  }));
  return [
    {
      caption: "Accuracy by coverage, most confident items first (95 % intervals)",
      columns: ["coverage", "right %", "smallest margin answered"],
      rows: [
        ...coverageOf(lists, settings).map(({ share: coverage, list_acc, margin }) => [
          `${Math.round(100 * coverage)} %`,
          percent(list_acc),
          margin,
        ]),
        ["AURC", plain({ mean: areaUnderRisk(lists), ci95: null }), null],
      ],
    },
  ];
}

const MISTAKES = 20;

/** Where the verifier is surest and the label says otherwise, one of the two is wrong. */
export function mistakesTable(judged: All): Table[] {
  const wrong = judged
    .filter(({ outcome }) => outcome.said !== null && outcome.credit < 1 && outcome.margin !== null)
    .sort((a, b) => (b.outcome.margin as number) - (a.outcome.margin as number));
  if (wrong.length === 0) return [];
  return [
    {
      caption: `The most confident of ${wrong.length} mistakes: check these labels first`,
      columns: ["item", "subset", "label", "verifier", "margin"],
      rows: wrong
        .slice(0, MISTAKES)
        .map(({ item, outcome }) => [item.id, item.subset, outcome.label, outcome.said, outcome.margin]),
    },
  ];
}
