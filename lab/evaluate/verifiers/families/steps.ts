// Verifiers that name the first wrong step, counted as ProcessBench does (Zheng et al. 2024, arXiv
// 2412.06559).
import { percent } from "../../figures/estimate.ts";
import type { Family, Judged, Outcome, Settings } from "../items/benchmark.ts";
import { harmonicMean, meanOf, share, single } from "../items/shares.ts";

/** Index of the first wrong step, -1 where none is. */
export type FirstWrong = number;

type Steps = Judged<FirstWrong>;

function subsetOf(name: string, judged: readonly Steps[], settings: Settings) {
  const erroneous = share(`${name} wrong`, judged, (j) => (j.item.label === -1 ? null : j.outcome.credit), settings);
  const correct = share(`${name} right`, judged, (j) => (j.item.label === -1 ? j.outcome.credit : null), settings);
  return { name, erroneous, correct, f1: single(harmonicMean(erroneous.mean, correct.mean), judged.length) };
}

const stepOf = (index: number) => (index === -1 ? "none" : `step ${index}`);

export const steps: Family<FirstWrong, Outcome> = {
  judge({ label }, { rewards, reported }) {
    const said = rewards[0] == null ? null : (reported[0]?.first_wrong ?? null);
    return {
      credit: Number(said === label),
      margin: null,
      label: stepOf(label),
      said: said === null ? null : stepOf(said),
    };
  },
  figures(judged, settings) {
    const subsets = [...Map.groupBy(judged, ({ item }) => item.subset)].map(([name, members]) =>
      subsetOf(name, members, settings),
    );
    const whole = subsetOf("all", judged, settings);
    const value = single(meanOf(subsets.map(({ f1 }) => f1.mean)), judged.length);
    return {
      main: { name: "F1, mean over subsets", value },
      figures: { mean_f1: value, erroneous: whole.erroneous, correct: whole.correct, f1: whole.f1 },
      tables: [
        {
          caption: "Finding the first wrong step (95 % intervals)",
          columns: ["subset", "found, erroneous solutions %", "none reported, correct solutions %", "F1 %", "items"],
          rows: [...subsets, ...(subsets.length > 1 ? [whole] : [])].map(({ name, erroneous, correct, f1 }) => [
            name,
            percent(erroneous),
            percent(correct),
            percent(f1),
            f1.n,
          ]),
        },
      ],
    };
  },
};
