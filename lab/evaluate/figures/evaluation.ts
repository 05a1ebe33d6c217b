// ListAcc, tau-b and parse rate of a verifier over many lists. Formulas are in src/core/math/stats.ts.

import { uniqueMaximum } from "../../../src/core/formulations/formulations.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { kendallTauB, type TauB } from "../../../src/core/math/tau-b.ts";
import { listAccuracy } from "../../../src/core/tournament/metrics.ts";
import { PARSE_RATE_LOW } from "../../../src/core/tournament/warnings.ts";
import { clusteredRatio, type Observation, type RatioOptions } from "../../statistics/clusters.ts";
import type { EvaluationSummary } from "./evaluation-summary.ts";

/** One list of candidates with a verifier's answers. */
export interface EvaluationList {
  pass_rates: readonly number[];
  /** One a candidate. */
  win_counts?: readonly number[];
  /** Index of the chosen candidate; null = no selection. */
  selected?: number | null;
  /** Generations that could be read, of all. */
  parsed?: number;
  generations?: number;
  /** The bootstrap resamples lists of one cluster together. */
  cluster?: string;
  tags?: Readonly<Record<string, string | number | boolean>>;
}

interface EvaluationSettings {
  /** How a list without a tau counts in its mean: not at all, as 0, or as -1. */
  undefined_tau: "drop" | "zero" | "minus_one";
  /** Resamples of each interval. */
  bootstrap: number;
  seed: number;
}

/** Below PARSE_RATE_LOW tau-b misleads, below this it should be watched. */
const PARSE_RATE_WATCH = 0.95;

/**
 * ListAcc, tau-b and parse rate over the lists, over all and by tag value, each with a 95 %
 * percentile bootstrap interval, exact where resamples say nothing (clusters.ts).
 *
 * - `list_acc`: a list of two or more counts when it has `selected` or `win_counts`, whose one maximum
 *   is then the selection; a shared maximum selects nothing. True when no pass rate is above the
 *   selected one's.
 * - `tau_b`: lists with `win_counts`. `undefined` counts those without a tau. Lists of one have
 *   nothing to rank and are in no mean. `mean_zero`, `mean_minus_one` always.
 * - `parse_rate`: sum of `parsed` over sum of `generations`.
 */
export function evaluate({ lists, ...settings }: EvaluationSettings & { lists: readonly EvaluationList[] }) {
  const overall = summarise(lists, settings, []);
  const by_tag = Object.fromEntries(
    [...groupByTag(lists)].map(([tag, values]) => [
      tag,
      Object.fromEntries(
        [...values].map(([value, taggedLists]) => [value, summarise(taggedLists, settings, [tag, value])]),
      ),
    ]),
  );
  return { ...overall, by_tag, warnings: parseWarnings(overall.parse_rate.mean) };
}

function parseWarnings(parseRate: number | null): string[] {
  if (parseRate === null) return ["parse_rate_missing"];
  if (parseRate < PARSE_RATE_LOW) return ["parse_rate_low"];
  return parseRate < PARSE_RATE_WATCH ? ["parse_rate_watch"] : [];
}

function groupByTag(lists: readonly EvaluationList[]): Map<string, Map<string, EvaluationList[]>> {
  const byTag = new Map<string, Map<string, EvaluationList[]>>();
  for (const list of lists) {
    for (const [tag, raw] of Object.entries(list.tags ?? {})) {
      const values = byTag.get(tag) ?? new Map<string, EvaluationList[]>();
      byTag.set(tag, values);
      const members = values.get(String(raw));
      if (members === undefined) values.set(String(raw), [list]);
      else members.push(list);
    }
  }
  return byTag;
}

/**
 * `scope` names the group, so that each interval has a separate stream and adding a tag changes
 * no other interval.
 */
function summarise(
  lists: readonly EvaluationList[],
  settings: EvaluationSettings,
  scope: readonly string[],
): EvaluationSummary {
  const options = (metric: string, range: readonly [number, number] = [0, 1]) => ({
    resamples: settings.bootstrap,
    seed: hashText(settings.seed, metric, ...scope),
    range,
  });
  return {
    list_acc: clusteredRatio(observe(lists, listHit), options("list_acc")),
    tau_b: tauEstimate(lists, settings.undefined_tau, options("tau_b", [-1, 1])),
    parse_rate: clusteredRatio(lists.flatMap(parseObservation), options("parse_rate")),
  };
}

/** One observation for each list of which the metric says something. */
function observe(lists: readonly EvaluationList[], metric: (list: EvaluationList) => number | null): Observation[] {
  return lists.flatMap((list) => {
    const value = metric(list);
    return value === null ? [] : [{ over: value, under: 1, cluster: list.cluster ?? null }];
  });
}

/** 1 or 0, or null when the list says nothing of a selection or leaves no choice. */
function listHit({ pass_rates, win_counts, selected }: EvaluationList): number | null {
  if (pass_rates.length < 2 || (selected === undefined && win_counts === undefined)) return null;
  const choice = selected === undefined ? uniqueMaximum(win_counts ?? []) : selected;
  return listAccuracy(choice, pass_rates) ? 1 : 0;
}

function tauEstimate(
  lists: readonly EvaluationList[],
  rule: EvaluationSettings["undefined_tau"],
  options: RatioOptions,
): EvaluationSummary["tau_b"] {
  const ranked = lists.filter(({ win_counts }) => win_counts !== undefined);
  const taus = new Map(
    ranked.map((list) => [list, kendallTauB(list.win_counts as number[], list.pass_rates)] as const),
  );
  const replaced = (substitute: number | null, more = { ...options, resamples: 0 }) =>
    clusteredRatio(
      observe(ranked, (list) => {
        const { tau, undefined: reason } = taus.get(list) as TauB;
        return reason === null || reason === "too_few" ? tau : substitute;
      }),
      more,
    );
  return {
    ...replaced({ drop: null, zero: 0, minus_one: -1 }[rule], options),
    undefined: [...taus.values()].filter(({ tau }) => tau === null).length,
    mean_zero: replaced(0).mean,
    mean_minus_one: replaced(-1).mean,
  };
}

function parseObservation({ parsed, generations = 0, cluster }: EvaluationList): Observation[] {
  if (parsed === undefined || generations === 0) return [];
  return [{ over: parsed, under: generations, cluster: cluster ?? null }];
}
