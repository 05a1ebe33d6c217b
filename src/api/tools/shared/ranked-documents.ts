// Owns ranking one query's documents, whatever dialect asked. Knows no wire shape.
import type { GroupResult, RolloutResult } from "../../../core/contract/replies.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../core/faults/errors.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { type AnySpec, compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { RolloutRow } from "../../../ports/run-log.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import type { RouteDeps } from "../../door/deps.ts";
import type { AppContext } from "../../door/scope.ts";
import { invalidRequest } from "../../door/validation.ts";
import { beginJudging, refuseUnmet, type Usage, usageOf } from "./judging.ts";
import { noneGoodEnough } from "./ranking-options.ts";
import { ranking, relevance } from "./relevance.ts";
import type { TextRequest } from "./text-route.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { requireChoice, unjudged } from "./unjudged.ts";

interface Documents {
  /** Their field in the dialect, for refusals. */
  field: string;
  query: string;
  texts: readonly string[];
  /** 0 or null: all. */
  top_n: number | null;
}

export interface RankedDocuments {
  /** Best first; documents that could not be judged are left out and named in `warnings`. */
  results: { index: number; score: number }[];
  usage: Usage;
  warnings: string[];
}

/**
 * Compares the documents as one group and orders them.
 * @throws ApiError for faults of the request, `Unjudged` when not one document could be judged or
 *   not one answer held a choice
 */
export async function rankDocuments(
  c: AppContext,
  deps: RouteDeps,
  request: Documents & TextRequest,
): Promise<RankedDocuments> {
  const { query, texts, field, options } = request;
  if (texts.length === 0)
    throw invalidRequest([{ path: field, message: `${counted(0)}; must be at least ${counted(1)}` }]);
  const alone = {
    results: [{ index: 0, score: 1 }],
    usage: usageOf([]),
    warnings: ["not_compared 0", ...options.ignored],
  };
  // A ranking of one is no judgement, but it is one: a pipeline that filtered all others away goes
  // on.
  if (texts.length === 1 && options.good_enough === undefined) return alone;
  const spec = await chooseTextSpec(deps, c.get("scope"), options, request.model, texts);
  const compiled = compileSpec(spec);
  // Whether it is good enough only a spec can tell that compares nothing.
  if (texts.length === 1 && compiled.relative) return alone;
  refuseUnmet(compiled, field);
  const groups = [{ prompt: query, rollouts: texts.map((text) => ({ text })) }];
  const { scored } = beginJudging(c, deps, request.contract, { groups, spec, interactive: true }, options);
  return rank(await scored, spec, request);
}

function rank(
  scored: ScoredRequest,
  spec: AnySpec,
  { query, texts, top_n, raw, options }: Documents & TextRequest,
): RankedDocuments {
  const group = scored.reply.groups[0] as GroupResult;
  const scores = group.rollouts.map((rollout) => relevance(rollout, spec, texts.length, raw));
  if (scores.every((score) => score === null)) throw unjudged(scored);
  requireChoice(scored);
  const verdicts = scored.groups[0]?.verdicts ?? [];
  const order = ranking(group, scores, { texts, question: query, seed: spec.seed, verdicts });
  const shown = top_n === null || top_n === 0 ? order : order.slice(0, top_n);
  return {
    results: shown.map((index) => ({ index, score: scores[index] as number })),
    usage: usageOf([group]),
    warnings: [
      ...noneGoodEnough(
        order.map((index) => scores[index] as number),
        options,
      ),
      ...leftOut(group, scored.groups[0]?.rollouts ?? []),
      ...scored.reply.warnings.map((code) => withRate(code, group)),
      ...options.ignored,
    ],
  };
}

/**
 * Documents without a score, by why, those whose score rests on a part of their comparisons, and
 * those that lose unseen or unfit.
 */
function leftOut({ rollouts }: GroupResult, rows: readonly Pick<RolloutRow, "candidate_hash">[]): string[] {
  const where = (hit: (result: RolloutResult, i: number) => boolean) =>
    rollouts.flatMap((result, i) => (hit(result, i) ? [i] : []));
  const named = (code: string, indices: readonly number[]) =>
    indices.length === 0 ? [] : [`${code} ${indices.join(",")}`];
  const empty = (i: number) => rows[i]?.candidate_hash === null;
  const missing = (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).flatMap((code) => {
    const indices = where(({ error }) => error === code);
    return named("not_judged", indices).map((text) => `${text}: ${code}`);
  });
  return [
    ...missing,
    ...named(
      "partly_judged",
      where(({ reward, undecided }) => reward !== null && undecided > 0),
    ),
    ...named(
      "no_program",
      where(({ format_ok }, i) => !format_ok && empty(i)),
    ),
    ...named(
      "malformed",
      where(({ format_ok }, i) => !format_ok && !empty(i)),
    ),
  ];
}

/** A reader who sees an order and no metrics is told the figures themselves. */
function withRate(code: string, { metrics: { parse_rate }, verifier }: GroupResult): string {
  if (code === "parse_rate_low" && parse_rate !== null) return `${code}: ${parse_rate.toFixed(2)}`;
  const { comparisons, why } = verifier;
  if (code !== "cut_by_deadline" || why?.deadline === undefined) return code;
  return `${code}: ${why.deadline} of ${comparisons} comparisons were not answered in time`;
}
