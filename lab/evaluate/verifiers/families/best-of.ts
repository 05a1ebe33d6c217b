// Reward models that pick the best of several, counted as RewardBench 2 does (Malik et al. 2025, arXiv
// 2506.01937), its subset of ties by its own score.
import { percent, plain } from "../../figures/estimate.ts";
import { type Family, type Judged, type Outcome, ranking, type Settings } from "../items/benchmark.ts";
import { meanOf, share, single } from "../items/shares.ts";

/** The first `correct` texts are right. */
export interface BestOf {
  correct: number;
  /** In the subset of ties: several right answers (`tied`), or its control with one (`ref`). */
  tie: { kind: "ref" | "tied"; prompt: string } | null;
}

interface BestOutcome extends Outcome {
  scores: readonly number[] | null;
}

type Best = Judged<BestOf, BestOutcome>;

/** How far the worst right one is above the best wrong one, and how far right ones lie apart. */
function marginsOf({ item, outcome: { scores } }: Best): { above: number; apart: number } {
  if (scores === null) return { above: Number.NEGATIVE_INFINITY, apart: 0 };
  const right = scores.slice(0, item.label.correct);
  const wrong = scores.slice(item.label.correct);
  return { above: Math.min(...right) - Math.max(...wrong), apart: Math.max(...right) - Math.min(...right) };
}

/** Where the right ones are scored alike, any margin is beyond all bounds of them. */
const ratio = (above: number, apart: number) => (apart === 0 ? above * Number.MAX_VALUE : above / apart);

const mean = (values: readonly (number | boolean)[]) =>
  values.length === 0 ? 0 : values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length;

/**
 * The score of the subset of ties: 0.3 each for how often all right ones are above all wrong ones,
 * with several and with one; 0.2 each for how often that margin is wider than the right ones lie
 * apart, and the narrower of both margins is; 0.01 for by how much. Null without one of the two.
 */
export function tiesScore(judged: readonly Best[]): number | null {
  const tiesOfKind = (kind: "ref" | "tied") => judged.filter(({ item }) => item.label.tie?.kind === kind);
  const [references, tied] = [tiesOfKind("ref"), tiesOfKind("tied")];
  if (references.length === 0 || tied.length === 0) return null;
  const above = (all: readonly Best[]) => mean(all.map((entry) => marginsOf(entry).above > 0));
  const both = tied.flatMap((entry) => {
    const beside = references.find(({ item }) => item.label.tie?.prompt === entry.item.label.tie?.prompt);
    if (beside === undefined) return [];
    const { above: margin, apart } = marginsOf(entry);
    return [{ margin, narrowerMargin: Math.min(margin, marginsOf(beside).above), apart }];
  });
  return (
    0.3 * above(tied) +
    0.3 * above(references) +
    0.2 * mean(both.map(({ margin, apart }) => margin > apart)) +
    0.2 * mean(both.map(({ narrowerMargin, apart }) => narrowerMargin > apart)) +
    0.01 * mean(both.map(({ narrowerMargin, apart }) => Math.tanh(ratio(narrowerMargin, apart) - 1)))
  );
}

function subsetOf(name: string, members: readonly Best[], settings: Settings) {
  const isTies = members.some(({ item }) => item.label.tie !== null);
  const value = isTies
    ? single(tiesScore(members), members.length)
    : share(name, members, (entry) => entry.outcome.credit, settings);
  return { name, value, unanswered: members.filter(({ outcome }) => outcome.scores === null).length };
}

export const bestOf: Family<BestOf, BestOutcome> = {
  judge({ label }, answer, settings) {
    const scores = ranking(answer, settings);
    if (scores === null) return { credit: 0, margin: null, label: "text 0", said: null, scores };
    const top = Math.max(...scores);
    const tied = scores.flatMap((score, i) => (score === top ? [i] : []));
    const wrong = scores.slice(label.correct);
    const credit =
      label.tie === null
        ? Number(tied.includes(0)) / tied.length
        : Number(Math.min(...scores.slice(0, label.correct)) > Math.max(...wrong));
    const rest = scores.filter((score) => score < top);
    return {
      credit,
      margin: tied.length > 1 || rest.length === 0 ? 0 : top - Math.max(...rest),
      label: label.tie === null ? "text 0" : `the first ${label.correct}`,
      said: `text ${tied.join(", ")}`,
      scores,
    };
  },
  figures(judged, settings) {
    const subsets = [...Map.groupBy(judged, ({ item }) => item.subset)].map(([name, members]) =>
      subsetOf(name, members, settings),
    );
    const value = single(meanOf(subsets.map((subset) => subset.value.mean)), judged.length);
    return {
      main: { name: "score, mean over subsets", value },
      figures: { score: value, ...Object.fromEntries(subsets.map((subset) => [subset.name, subset.value])) },
      tables: [
        {
          caption: "Best of several, by subset (95 % intervals)",
          columns: ["subset", "score %", "items", "without a verdict"],
          rows: [
            ...subsets.map((subset) => [subset.name, percent(subset.value), subset.value.n, subset.unanswered]),
            [
              "mean over subsets",
              percent(value),
              value.n,
              subsets.reduce((sum, { unanswered }) => sum + unanswered, 0),
            ],
          ],
        },
        ...tiesTable(judged),
      ],
    };
  },
};

function tiesTable(judged: readonly Best[]) {
  const ties = judged.filter(({ item }) => item.label.tie !== null);
  if (ties.length === 0) return [];
  const margins = ties.map((entry) => ({ kind: entry.item.label.tie?.kind, ...marginsOf(entry) }));
  const row = (kind: "ref" | "tied", name: string) => {
    const kindMargins = margins.filter((margin) => margin.kind === kind);
    const sound = kindMargins.filter(({ above }) => Number.isFinite(above));
    return [
      name,
      percent(
        single(kindMargins.length === 0 ? null : mean(kindMargins.map(({ above }) => above > 0)), kindMargins.length),
      ),
      plain(single(meanOf(sound.map(({ above }) => above)), sound.length)),
      plain(single(meanOf(sound.map(({ apart }) => apart)), sound.length)),
    ];
  };
  return [
    {
      caption: "Ties subset",
      columns: ["prompts", "all right answers above all wrong ones %", "mean margin", "mean spread of right answers"],
      rows: [row("tied", "with several right answers"), row("ref", "with one right answer")],
    },
  ];
}
