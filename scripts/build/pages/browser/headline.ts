// The figures at the head of a run's page: what its last steps have, beside its first.
import { el } from "./dom.ts";
import type { HealthRow } from "./log.ts";
import type { Drawn } from "./measures.ts";
import { figure, percent } from "./numbers.ts";
import { endSteps, trendOf, type ValueOf } from "./trend.ts";

interface Headline {
  title: string;
  selectValue: ValueOf;
  shown: (value: number) => string;
  /** Left out where the mean reward cannot rise. */
  absolute?: true;
}

const withoutReward = ({ nulls, rollouts }: HealthRow): number | null =>
  rollouts === 0 ? null : Object.values(nulls).reduce((sum, count) => sum + count, 0) / rollouts;

/** The most telling first. */
const HEADLINES: readonly Headline[] = [
  { title: "pass rate by labels", selectValue: (row) => row.label_mean, shown: percent },
  { title: "mean reward", selectValue: (row) => row.reward_mean, shown: figure, absolute: true },
  { title: "malformed answers", selectValue: (row) => row.malformed_share, shown: percent },
  { title: "without a reward", selectValue: withoutReward, shown: percent },
  {
    title: "median length, tokens",
    selectValue: (row) => row.length_p50,
    shown: (tokens) => figure(Math.round(tokens)),
  },
  { title: "distinct answers", selectValue: (row) => row.distinct_share, shown: percent },
  { title: "parse rate", selectValue: (row) => row.parse_rate, shown: percent },
  { title: "groups with equal rewards", selectValue: (row) => row.zero_variance_share, shown: percent },
];
const SHOWN = 4;

/** At most four figures that the run has, each with its trend; none before its first step. */
export function headlines({ health: { rows }, relative }: Drawn): HTMLElement[] {
  const items = HEADLINES.flatMap(({ title, selectValue, shown, absolute }) => {
    const { from, to, line } = trendOf(rows, selectValue);
    if (from === null || to === null || (absolute && relative !== null)) return [];
    const before = rows.length > 1 ? el("span", { class: "soft" }, ` was ${shown(from)}`) : null;
    return [el("div", {}, el("dt", {}, title), el("dd", {}, el("b", {}, shown(to)), before, line))];
  });
  if (items.length === 0) return [];
  const ends = endSteps(rows);
  const label = `Means of the last ${ends === 1 ? "step" : `${ends} steps`}; was: the same at the start of the run`;
  return [el("dl", { class: "headlines", title: label }, ...items.slice(0, SHOWN))];
}
