// Owns the whole computation of /v1/evaluations: a verifier's metrics over many lists. Knows no
// HTTP; formulas are in stats.ts.

import type { EvaluationSummary, EvaluationsReply } from "../contract/evaluation-replies.ts";
import type { EvaluationList, EvaluationsRequest, UndefinedTau } from "../contract/requests.ts";
import { ApiError } from "../faults/errors.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { hashText } from "../math/random.ts";
import { kendallTauB, type TauB } from "../math/stats.ts";
import { listAccuracy } from "../tournament/metrics.ts";
import { PARSE_RATE_LOW } from "../tournament/warnings.ts";
import { clusteredRatio, type Observation, type RatioOptions } from "./clusters.ts";
import { uniqueMaximum } from "./formulations.ts";

type EvaluationSettings = Pick<EvaluationsRequest, "undefined_tau" | "bootstrap" | "seed">;

/** Below PARSE_RATE_LOW tau-b misleads, below this it should be watched. */
const PARSE_RATE_WATCH = 0.95;

/**
 * Sorting a resample costs about as much as this many draws; keeps many tiny tag groups from being
 * free.
 */
const DRAWS_PER_RESAMPLE = 10;

/**
 * ListAcc, tau-b and parse rate over the lists, over all and by tag value, each with a 95 %
 * percentile bootstrap interval, exact where resamples say nothing (clusters.ts).
 *
 * - `list_acc`: a list of two or more counts when it has `selected` (null = no selection = false)
 *   or `win_counts`, whose one maximum is
 * then the selection; a shared maximum is no selection. True when no pass rate is above the
 * selected one's.
 * - `tau_b`: lists with `win_counts`. `undefined` counts those without a tau; `undefined_tau` says
 *   what `mean` does with the ones
 * that are tied: drop them, or count 0 or -1. Lists of one have nothing to rank and are in no mean.
 * `mean_zero`, `mean_minus_one` always.
 * - `parse_rate`: sum of `parsed` over sum of `generations`.
 *
 * The bootstrap resamples clusters whole: lists of one `cluster` together, a list without one
 * alone.
 *
 * Throws ApiError `invalid_request` when the tags or the bootstrap go over their limits.
 */
export function evaluate(request: EvaluationsRequest): Omit<EvaluationsReply, "request_id"> {
  const byTag = groupByTag(request.lists);
  assertBootstrapFits(request, byTag);
  const overall = summarise(request.lists, request, []);
  const by_tag = Object.fromEntries(
    [...byTag].map(([tag, values]) => [
      tag,
      Object.fromEntries([...values].map(([value, lists]) => [value, summarise(lists, request, [tag, value])])),
    ]),
  );
  return { ...overall, lists: request.lists.length, by_tag, warnings: parseWarnings(overall.parse_rate.mean) };
}

function parseWarnings(parseRate: number | null): string[] {
  if (parseRate === null) return ["parse_rate_missing"];
  if (parseRate < PARSE_RATE_LOW) return ["parse_rate_low"];
  return parseRate < PARSE_RATE_WATCH ? ["parse_rate_watch"] : [];
}

type TagGroups = Map<string, Map<string, EvaluationList[]>>;

function groupByTag(lists: readonly EvaluationList[]): TagGroups {
  const byTag: TagGroups = new Map();
  let groups = 0;
  for (const list of lists) {
    for (const [tag, raw] of Object.entries(list.tags ?? {})) {
      const values = byTag.get(tag) ?? new Map<string, EvaluationList[]>();
      byTag.set(tag, values);
      const members = values.get(String(raw));
      if (members !== undefined) members.push(list);
      else if (groups++ < LIMITS.evaluation_tag_values_max) values.set(String(raw), [list]);
      else {
        const message = `more than evaluation_tag_values_max = ${LIMITS.evaluation_tag_values_max} tag values in all; leave out tags that tell single lists apart`;
        throw new ApiError("invalid_request", "Too many tag values", { errors: [{ path: "lists", message }] });
      }
    }
  }
  return byTag;
}

/**
 * What the bootstrap of these lists draws: each metric from the lists that say something of it, and
 * the sorting of its resamples.
 */
function drawsOf(lists: readonly EvaluationList[], resamples: number): number {
  const entries = [
    lists.filter((list) => listHit(list) !== null).length,
    lists.filter(({ win_counts }) => win_counts !== undefined).length,
    lists.filter(({ parsed }) => parsed !== undefined).length,
  ];
  return entries.reduce((sum, count) => sum + (count === 0 ? 0 : (count + DRAWS_PER_RESAMPLE) * resamples), 0);
}

function assertBootstrapFits({ lists, bootstrap }: EvaluationsRequest, byTag: TagGroups): void {
  const groups = [lists, ...[...byTag.values()].flatMap((values) => [...values.values()])];
  const draws = groups.reduce((sum, group) => sum + drawsOf(group, bootstrap), 0);
  if (draws <= LIMITS.bootstrap_draws_max) return;
  const message = `${draws} draws over lists, tags and metrics; ${theLimit("bootstrap_draws_max")}`;
  throw new ApiError("invalid_request", "The bootstrap is too large", { errors: [{ path: "bootstrap", message }] });
}

/**
 * `scope` names the group, so that each interval has a stream of its own and adding a tag changes
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
  rule: UndefinedTau,
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
