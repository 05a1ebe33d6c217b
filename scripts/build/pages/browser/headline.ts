// The figures at the head of a run's page: what its last steps have, beside its first.
import { el } from "./dom.ts";
import type { HealthRow } from "./log.ts";
import type { Drawn } from "./measures.ts";
import { figure, percent } from "./numbers.ts";

interface Headline {
  title: string;
  selectValue: (row: HealthRow) => number | null | undefined;
  shown: (value: number) => string;
  /** Left out where the mean reward cannot rise. */
  absolute?: true;
}

/** The most telling first. */
const HEADLINES: readonly Headline[] = [
  { title: "pass rate by labels", selectValue: (row) => row.label_mean, shown: percent },
  { title: "mean reward", selectValue: (row) => row.reward_mean, shown: figure, absolute: true },
  { title: "malformed answers", selectValue: (row) => row.malformed_share, shown: percent },
  {
    title: "median length",
    selectValue: (row) => row.length_p50,
    shown: (tokens) => `${figure(Math.round(tokens))} tokens`,
  },
  { title: "distinct answers", selectValue: (row) => row.distinct_share, shown: percent },
  { title: "parse rate", selectValue: (row) => row.parse_rate, shown: percent },
];
const SHOWN = 4;
/** One end has at most this number of steps, and at most a quarter of the run. */
const STEPS_MOST = 10;

function meanOf(rows: readonly HealthRow[], selectValue: Headline["selectValue"]): number | null {
  const known = rows.map(selectValue).filter((value) => value != null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** At most four figures that the run has; none before its first step. */
export function headlines({ health: { rows }, relative }: Drawn): HTMLElement[] {
  const each = Math.min(STEPS_MOST, Math.max(1, Math.floor(rows.length / 4)));
  const [first, last] = [rows.slice(0, each), rows.slice(-each)];
  const items = HEADLINES.flatMap(({ title, selectValue, shown, absolute }) => {
    const [from, to] = [meanOf(first, selectValue), meanOf(last, selectValue)];
    if (from === null || to === null || (absolute && relative !== null)) return [];
    const before = rows.length > 1 ? el("span", { class: "soft" }, ` was ${shown(from)}`) : null;
    return [el("div", {}, el("dt", {}, title), el("dd", {}, el("b", {}, shown(to)), before))];
  });
  if (items.length === 0) return [];
  const label = `Means of the last ${each === 1 ? "step" : `${each} steps`}; was: the same at the start of the run`;
  return [el("dl", { class: "headlines", title: label }, ...items.slice(0, SHOWN))];
}
