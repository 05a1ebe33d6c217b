// Judges of pairs, counted as JudgeBench does (Tan et al. 2024, arXiv 2410.12784): both orders give one point
// each, for or against, and only a sum above 0 is correct.
import { percent } from "../../figures/estimate.ts";
import { type Family, type Judged, type Outcome, ranking, type Settings } from "../items/benchmark.ts";
import { share } from "../items/shares.ts";

/** Index of the better of two. */
export type Better = 0 | 1;

const LETTERS = ["A", "B"] as const;

function rowOf(name: string, judged: readonly Judged<Better>[], settings: Settings) {
  const said = ({ item, outcome }: Judged<Better>) =>
    outcome.said === null || outcome.said === "tie" ? outcome.said : outcome.said === LETTERS[item.label];
  return {
    name,
    correct: share(`${name} correct`, judged, (j) => j.outcome.credit, settings),
    incorrect: share(`${name} incorrect`, judged, (j) => said(j) === false, settings),
    tie: share(`${name} tie`, judged, (j) => said(j) === "tie", settings),
    no_verdict: share(`${name} none`, judged, (j) => said(j) === null, settings),
    inconsistent: share(
      `${name} inconsistent`,
      judged,
      ({ answer: { flips } }) => (flips === null ? null : flips > 0),
      settings,
    ),
  };
}

export const pairs: Family<Better, Outcome> = {
  judge({ label }, answer, settings) {
    const scores = ranking(answer, settings);
    if (scores === null) return { credit: 0, margin: null, label: LETTERS[label], said: null };
    const lead = (scores[0] as number) - (scores[1] as number);
    const said = lead === 0 ? "tie" : lead > 0 ? "A" : "B";
    return { credit: Number(said === LETTERS[label]), margin: Math.abs(lead), label: LETTERS[label], said };
  },
  figures(judged, settings) {
    const whole = rowOf("all", judged, settings);
    const subsets = [...Map.groupBy(judged, ({ item }) => item.subset)].map(([name, members]) =>
      rowOf(name, members, settings),
    );
    const { name: _, ...figures } = whole;
    return {
      main: { name: "correct pairs", value: whole.correct },
      figures,
      tables: [
        {
          caption: "Pairs in both orders (95 % intervals)",
          columns: ["subset", "correct %", "incorrect %", "undecided %", "no verdict %", "orders disagree %", "pairs"],
          rows: [...subsets, whole].map((row) => [
            row.name,
            percent(row.correct),
            percent(row.incorrect),
            percent(row.tie),
            percent(row.no_verdict),
            percent(row.inconsistent),
            row.correct.n,
          ]),
        },
      ],
    };
  },
};
