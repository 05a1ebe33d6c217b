// Owns ranking one query's documents, whatever dialect asked. Knows no wire shape.
import type { GroupResult, RolloutResult } from "../../../core/contract/replies.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../core/faults/errors.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { type AnySpec, compileSpec } from "../../../core/signals/compiled-spec.ts";
import type { RolloutRow } from "../../../scoring/run-log-port.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { invalidRequest } from "../../http/validation.ts";
import { type ClientWaits, contractDeadline } from "../deadlines.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import type { RankingOptions } from "./ranking-options.ts";
import { ranking, relevance } from "./relevance.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { requireChoice, unjudged } from "./unjudged.ts";

export interface DocumentsRequest {
  contract: ClientWaits;
  /** The documents' field in the dialect, for refusals. */
  field: string;
  query: string;
  texts: readonly string[];
  model: string | null;
  /** 0 or null: all. */
  top_n: number | null;
  /** The shaped reward instead of a score in 0..1. */
  raw: boolean;
  options: RankingOptions;
}

export interface RankedDocuments {
  /** Best first; documents that could not be judged are left out and named in `warnings`. */
  results: { index: number; score: number }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
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
  request: DocumentsRequest,
): Promise<RankedDocuments> {
  const { query, texts, field, options } = request;
  if (texts.length === 0)
    throw invalidRequest([{ path: field, message: `${counted(0)}; must be at least ${counted(1)}` }]);
  // A ranking of one is no judgement, but it is one: a pipeline that filtered all others away goes
  // on.
  if (texts.length === 1)
    return { results: [{ index: 0, score: 1 }], usage: usageOf([]), warnings: ["not_compared 0", ...options.ignored] };
  const spec = await chooseTextSpec(deps, c.get("scope"), options, request.model, texts);
  refuseUnmet(compileSpec(spec), field);
  const groups = [{ prompt: query, rollouts: texts.map((text) => ({ text })) }];
  const deadline_ms = contractDeadline(request.contract, options.deadline_ms);
  const { run_id, step } = options;
  return rank(
    await beginJudging(c, deps, { groups, spec, run_id, step, deadline_ms, interactive: true }).scored,
    spec,
    request,
  );
}

function rank(
  scored: ScoredRequest,
  spec: AnySpec,
  { query, texts, top_n, raw, options }: DocumentsRequest,
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
      ...leftOut(group, scored.groups[0]?.rollouts ?? []),
      ...scored.reply.warnings.map((code) => withRate(code, group)),
      ...options.ignored,
    ],
  };
}

/** The verifier's tokens over some groups. */
export function usageOf(groups: readonly GroupResult[]): RankedDocuments["usage"] {
  const prompt_tokens = groups.reduce((sum, { verifier }) => sum + verifier.prompt_tokens, 0);
  const completion_tokens = groups.reduce((sum, { verifier }) => sum + verifier.completion_tokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
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

/** The warnings as a header, for dialects whose bodies have no place for them. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-kritai-warnings": warnings.join("; ") };
}
