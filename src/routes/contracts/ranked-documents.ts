// Owns ranking one query's documents, whatever dialect asked. Knows no wire shape.
import type { GroupResult, RolloutResult } from "../../core/contract-replies.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../core/errors.ts";
import { counted } from "../../core/limit-advice.ts";
import type { Spec } from "../../core/spec.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { invalidRequest } from "../../http/validation.ts";
import type { ScoredRequest } from "../scored-request.ts";
import { type ContractName, contractDeadline } from "./deadlines.ts";
import { beginJudging, refuseOverlong } from "./judged-request.ts";
import { urlOptions } from "./options.ts";
import { ranking, relevance } from "./relevance.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { requireChoice, unjudged } from "./unjudged.ts";

export interface DocumentsRequest {
  contract: ContractName;
  /** The documents' field in the dialect, for refusals. */
  field: string;
  query: string;
  texts: readonly string[];
  model: string | null;
  /** 0 or null: all. */
  top_n: number | null;
  /** The shaped reward instead of a score in 0..1. */
  raw: boolean;
}

export interface RankedDocuments {
  /** Best first; documents that could not be judged are left out and named in `warnings`. */
  results: { index: number; score: number }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  warnings: string[];
}

/** Below it a verifier's silence, not the documents, decides much of the order (api.md, evaluations). */
const PARSE_RATE_LOW = 0.8;

/**
 * Compares the documents as one group and orders them.
 * @throws ApiError for faults of the request, `Unjudged` when not one document could be judged or not one answer held a choice
 */
export async function rankDocuments(
  c: AppContext,
  deps: RouteDeps,
  request: DocumentsRequest,
): Promise<RankedDocuments> {
  const { query, texts, field } = request;
  const options = urlOptions(c);
  if (texts.length < 2) {
    const message = `${counted(texts.length)}; a comparison needs at least 2`;
    throw invalidRequest([{ path: field, message }]);
  }
  const spec = await chooseTextSpec(deps, c.get("scope"), options.spec, request.model, texts);
  refuseOverlong(spec, field);
  const groups = [{ prompt: query, rollouts: texts.map((text) => ({ text })) }];
  const deadline_ms = contractDeadline(request.contract, options.deadline_ms);
  const { run_id, step } = options;
  return rank(await beginJudging(c, deps, { groups, spec, run_id, step, deadline_ms }).scored, spec, request);
}

function rank(scored: ScoredRequest, spec: Spec, { query, texts, top_n, raw }: DocumentsRequest): RankedDocuments {
  const group = scored.reply.groups[0] as GroupResult;
  const scores = group.rollouts.map((rollout) => relevance(rollout, spec.reward, texts.length, raw));
  if (scores.every((score) => score === null)) throw unjudged(scored);
  requireChoice(scored);
  const verdicts = scored.groups[0]?.verdicts ?? [];
  const order = ranking(group, scores, { texts, question: query, seed: spec.seed, verdicts });
  const shown = top_n === null || top_n === 0 ? order : order.slice(0, top_n);
  return {
    results: shown.map((index) => ({ index, score: scores[index] as number })),
    usage: usageOf([group]),
    warnings: [...leftOut(group), ...parseWarnings(group), ...scored.reply.warnings],
  };
}

/** The verifier's tokens over some groups. */
export function usageOf(groups: readonly GroupResult[]): RankedDocuments["usage"] {
  const prompt_tokens = groups.reduce((sum, { verifier }) => sum + verifier.prompt_tokens, 0);
  const completion_tokens = groups.reduce((sum, { verifier }) => sum + verifier.completion_tokens, 0);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** Documents without a score, by why, and those whose score rests on a part of their comparisons. */
function leftOut({ rollouts }: GroupResult): string[] {
  const where = (hit: (result: RolloutResult) => boolean) => rollouts.flatMap((result, i) => (hit(result) ? [i] : []));
  const missing = (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).flatMap((code) => {
    const indices = where(({ error }) => error === code);
    return indices.length === 0 ? [] : [`not_judged ${indices.join(",")}: ${code}`];
  });
  const partly = where(({ reward, undecided }) => reward !== null && undecided > 0);
  return partly.length === 0 ? missing : [...missing, `partly_judged ${partly.join(",")}`];
}

function parseWarnings({ metrics: { parse_rate } }: GroupResult): string[] {
  return parse_rate !== null && parse_rate < PARSE_RATE_LOW ? [`parse_rate_low: ${parse_rate.toFixed(2)}`] : [];
}

/** The warnings as a header, for dialects whose bodies have no place for them. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  return warnings.length === 0 ? {} : { "x-kritai-warnings": warnings.join("; ") };
}
