// Verifiers that say right or wrong: precision, recall, calibration.
import { mean } from "../../../../src/core/math/stats.ts";
import { percent, plain } from "../../figures/estimate.ts";
import type { Family, Item, Judged, Outcome, OwnFigures, Settings } from "../items/benchmark.ts";
import type { Scored } from "../items/scored.ts";
import { harmonicMean, share, single } from "../items/shares.ts";

/** People's label of a text: of the whole, or of each criterion by its id. */
export type Truth = boolean | Readonly<Record<string, boolean>>;

interface Judgement {
  truth: boolean;
  said: boolean | null;
  /** Taken as the probability that it is right; null for criteria, which have none. */
  score: number | null;
}

interface LabelOutcome extends Outcome {
  judgements: readonly Judgement[];
}

function judgementsOf({ label }: Item<Truth>, { rewards, reported }: Scored, { threshold }: Settings): Judgement[] {
  const score = rewards[0] ?? null;
  if (typeof label === "boolean") return [{ truth: label, said: score === null ? null : score >= threshold, score }];
  const { met = [], unmet = [] } = reported[0] ?? {};
  return Object.entries(label).map(([id, truth]) => ({
    truth,
    said: met.includes(id) ? true : unmet.includes(id) ? false : null,
    score: null,
  }));
}

const word = (value: boolean | null) => (value === null ? "nothing" : value ? "right" : "wrong");

/** Judgements as separate items, in their problem's cluster. */
const each = (judged: readonly Judged<Truth, LabelOutcome>[]) =>
  judged.flatMap(({ item, outcome }) => outcome.judgements.map((judgement) => ({ item, judgement })));
type Each = ReturnType<typeof each>[number];

const BINS = 10;

/** Bins of equal width: what was scored there, and how often that was right. */
function binsOf(scored: readonly { score: number; truth: boolean }[]) {
  return Array.from({ length: BINS }, (_, bin) => {
    const binned = scored.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === bin);
    return binned.length === 0
      ? null
      : {
          bin,
          n: binned.length,
          score: mean(binned.map((o) => o.score)),
          right: mean(binned.map((o) => Number(o.truth))),
        };
  }).filter((bin) => bin !== null);
}

/** The chance that a right one is scored above a wrong one, ties by lot; null without both. */
export function areaUnderRoc(scored: readonly { score: number; truth: boolean }[]): number | null {
  const ordered = scored.toSorted((a, b) => a.score - b.score);
  const right = ordered.filter(({ truth }) => truth).length;
  const pairs = right * (ordered.length - right);
  if (pairs === 0) return null;
  let won = 0;
  let below = 0;
  for (const score of new Set(ordered.map((entry) => entry.score))) {
    const tied = ordered.filter((entry) => entry.score === score);
    const wrong = tied.filter(({ truth }) => !truth).length;
    won += (tied.length - wrong) * (below + wrong / 2);
    below += wrong;
  }
  return won / pairs;
}

/** Null where a score is not a probability. */
function calibrationOf(all: readonly Each[]) {
  const scored = all.flatMap(({ judgement: { score, truth } }) => (score === null ? [] : [{ score, truth }]));
  if (scored.length === 0 || scored.some(({ score }) => score < 0 || score > 1)) return null;
  const bins = binsOf(scored);
  const ece = bins.reduce((sum, { n, score, right }) => sum + (n / scored.length) * Math.abs(score - right), 0);
  return { bins, ece, auroc: areaUnderRoc(scored), n: scored.length };
}

function figures(judged: readonly Judged<Truth, LabelOutcome>[], settings: Settings): OwnFigures {
  const all = each(judged);
  const shareOf = (name: string, valued: (judgement: Judgement) => number | boolean | null) =>
    share(name, all, ({ judgement }) => valued(judgement), settings);
  const accuracy = shareOf("accuracy", ({ said, truth }) => said === truth);
  const precision = shareOf("precision", ({ said, truth }) => (said === true ? truth : null));
  const recall = shareOf("recall", ({ said, truth }) => (truth ? said === true : null));
  const rejected = shareOf("rejected", ({ said, truth }) => (truth ? null : said === false));
  const calibration = calibrationOf(all);
  const metrics = {
    accuracy,
    precision,
    recall,
    rejected,
    f1: single(harmonicMean(precision.mean, recall.mean), all.length),
    no_verdict: shareOf("no verdict", ({ said }) => said === null),
    ...(calibration !== null && {
      ece: single(calibration.ece, calibration.n),
      brier: shareOf("brier", ({ score, truth }) => (score === null ? null : (score - Number(truth)) ** 2)),
      auroc: single(calibration.auroc, calibration.n),
    }),
  };
  const rows = [
    ["accuracy", percent(accuracy), accuracy.n],
    ["precision: share of items judged right that are right", percent(precision), precision.n],
    ["recall (TPR): share of right items judged right", percent(recall), recall.n],
    ["specificity (TNR): share of wrong items judged wrong", percent(rejected), rejected.n],
    ["F1: harmonic mean of precision and recall", percent(metrics.f1), metrics.f1.n],
    ["no verdict (counts as a wrong answer)", percent(metrics.no_verdict), metrics.no_verdict.n],
  ];
  const graded = [
    ["ECE: mean distance between score and share right, ten bins", plain(metrics.ece ?? single(null, 0))],
    ["Brier score: mean squared distance between score and label", plain(metrics.brier ?? single(null, 0))],
    ["AUROC: probability that a right item scores above a wrong one", plain(metrics.auroc ?? single(null, 0))],
  ];
  return {
    main: { name: "accuracy", value: accuracy },
    figures: metrics,
    tables: [
      { caption: "Right and wrong (95 % intervals)", columns: ["figure", "%", "of"], rows },
      ...(calibration === null
        ? []
        : [
            { caption: "The score as a probability", columns: ["figure", "value"], rows: graded },
            {
              caption: "Calibration by bins of the score",
              columns: ["score", "items", "mean score", "share right"],
              rows: calibration.bins.map(({ bin, n, score, right }) => [
                `${(bin / BINS).toFixed(1)} to ${((bin + 1) / BINS).toFixed(1)}`,
                n,
                score,
                right,
              ]),
            },
          ]),
    ],
  };
}

export const labels: Family<Truth, LabelOutcome> = {
  judge(item, answer, settings) {
    const judgements = judgementsOf(item, answer, settings);
    const [only] = judgements;
    const score = judgements.length === 1 ? (only?.score ?? null) : null;
    return {
      credit: mean(judgements.map(({ said, truth }) => Number(said === truth))),
      margin: score === null ? null : Math.abs(score - settings.threshold),
      label: judgements.map(({ truth }) => word(truth)).join(", "),
      said: judgements.every(({ said }) => said === null) ? null : judgements.map(({ said }) => word(said)).join(", "),
      judgements,
    };
  },
  figures,
};
