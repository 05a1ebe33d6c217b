// Ranks the documents for one query, for all reranker APIs.
import { hasContent } from "../../../core/candidate/extract.ts";
import type { GroupResult, RolloutResult } from "../../../core/contract/group-reply.ts";
import { ITEM_ERRORS, type ItemErrorCode } from "../../../core/faults/errors.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import type { RolloutRow } from "../../../ports/log-entry.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import type { AppDeps } from "../../door/deps.ts";
import type { AppContext } from "../../door/scope.ts";
import { invalidRequest } from "../../door/validation.ts";
import { beginJudging, notComparable, refuseUnmet, type Usage, usageOf } from "./judging.ts";
import { noneGoodEnough } from "./ranking-options.ts";
import { completed, ranking } from "./relevance.ts";
import type { TextRequest } from "./text-route.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { incomplete } from "./unjudged.ts";

interface Documents {
  /** The field that contains the documents, for error messages. */
  field: string;
  query: string;
  texts: readonly string[];
  /** Number of results to return; 0 or null: all. */
  top_n: number | null;
}

export interface RankedDocuments {
  /**
   * The documents, best first. Documents that failed because of their content come last. Documents without a
   * score because of an infrastructure failure are omitted, which is allowed only if fewer results were
   * requested or the client opted in.
   */
  results: { index: number; score: number }[];
  usage: Usage;
  warnings: string[];
}

/**
 * Compares the documents as one group and ranks them.
 * @throws ApiError for invalid requests; `Unjudged` if no document could be judged, if the verifier preferred
 *   none, or if an infrastructure failure left documents without a score and the client did not opt in
 */
export async function rankDocuments(
  c: AppContext,
  deps: AppDeps,
  request: Documents & TextRequest,
): Promise<RankedDocuments> {
  const { query, texts, field, options } = request;
  if (texts.length === 0)
    throw invalidRequest([{ path: field, message: `${counted(0)}; must be at least ${counted(1)}` }]);
  const isBlank = !hasContent(texts[0] as string);
  const alone = {
    results: [{ index: 0, score: isBlank ? 0 : 1 }],
    usage: usageOf([]),
    warnings: ["not_compared 0", ...(isBlank ? ["no_text 0"] : []), ...options.ignored],
  };
  const spec = await chooseTextSpec(deps, c.get("scope"), options, request.model, texts);
  const compiled = compileSpec(spec);
  // Returns a result, not an error, so that a pipeline whose filter left only one document continues.
  if (texts.length === 1 && compiled.relative) return alone;
  refuseUnmet(compiled, field);
  const groups = [{ prompt: query, rollouts: texts.map((text) => ({ text })) }];
  const comparable = notComparable(c, deps, compiled, groups);
  const { scored } = beginJudging(c, deps, request.contract, { groups, spec, field, interactive: true }, options);
  const { warnings, ...ranked } = rank(await scored, spec, request);
  return { ...ranked, warnings: [...comparable, ...warnings] };
}

function rank(
  scored: ScoredRequest,
  spec: Spec,
  { field, query, texts, top_n, raw, options }: Documents & TextRequest,
): RankedDocuments {
  const group = scored.reply.groups[0] as GroupResult;
  const { scores, last, missing } = completed(scored, spec, raw);
  const wanted = top_n === null || top_n === 0 ? texts.length : Math.min(top_n, texts.length);
  const judged = texts.length - last.size - missing.size;
  const mayLeaveOut = options.on_incomplete === "leave_out" || (wanted < texts.length && judged >= wanted);
  if (missing.size > 0 && !mayLeaveOut) {
    const places = new Map([...missing].map(([i, code]) => [`${field}[${i}]`, code]));
    throw incomplete(scored, places, ` (\`kritai.on_incomplete\` "leave_out" ranks the others)`);
  }
  const verdicts = scored.groups[0]?.verdicts ?? [];
  const ranked = ranking(group, scores, { texts, question: query, seed: spec.seed, verdicts });
  const reserved = reservations(group, texts, scored.groups[0]?.rollouts ?? []);
  const behind = new Set([...last.keys(), ...reserved.no_text]);
  const order = [...ranked.filter((i) => !behind.has(i)), ...ranked.filter((i) => behind.has(i))];
  return {
    results: order.slice(0, wanted).map((index) => ({ index, score: scores[index] as number })),
    usage: usageOf([group]),
    warnings: [
      ...noneGoodEnough(
        order.map((index) => scores[index] as number),
        options,
      ),
      ...namedByCode("not_judged", missing),
      ...namedByCode("last_unjudged", last),
      ...Object.entries(reserved).flatMap(([code, indices]) => named(code, indices)),
      ...scored.reply.warnings.map((code) => withRate(code, group)),
      ...options.ignored,
    ],
  };
}

/** A warning with the indices of the documents, such as `malformed 1,4`; empty without indices. */
export const named = (code: string, indices: readonly number[]): string[] =>
  indices.length === 0 ? [] : [`${code} ${indices.join(",")}`];

/** Warnings with the indices of the documents, one per cause, such as `not_judged 2: deadline`. */
export const namedByCode = (warning: string, texts: ReadonlyMap<number, ItemErrorCode>): string[] =>
  (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).flatMap((code) => {
    const indices = [...texts].flatMap(([i, why]) => (why === code ? [i] : [])).sort((a, b) => a - b);
    return named(warning, indices).map((text) => `${text}: ${code}`);
  });

/**
 * Indices of the documents that were scored on only some of their comparisons, and of those that lose by
 * default because they are blank, malformed, or without a program although programs are compared.
 */
function reservations(
  { rollouts }: GroupResult,
  texts: readonly string[],
  rows: readonly Pick<RolloutRow, "candidate_hash">[],
): Reservations {
  const where = (hit: (result: RolloutResult, i: number) => boolean) =>
    rollouts.flatMap((result, i) => (hit(result, i) ? [i] : []));
  const isEmpty = (i: number) => rows[i]?.candidate_hash === null;
  const hasText = texts.map(hasContent);
  return {
    partly_judged: where(({ reward, undecided }) => reward !== null && undecided > 0),
    no_text: where((_, i) => hasText[i] === false),
    no_program: where(({ format_ok }, i) => !format_ok && isEmpty(i) && hasText[i] === true),
    malformed: where(({ format_ok }, i) => !format_ok && !isEmpty(i)),
  };
}

type Reservations = Record<"partly_judged" | "no_text" | "no_program" | "malformed", number[]>;

/** Adds numbers to a warning, for clients that see the ranking but no metrics. */
function withRate(code: string, { metrics: { parse_rate }, verifier }: GroupResult): string {
  if (code === "parse_rate_low" && parse_rate !== null) return `${code}: ${parse_rate.toFixed(2)}`;
  const { comparisons, why } = verifier;
  if (code !== "cut_by_deadline" || why?.deadline === undefined) return code;
  return `${code}: ${why.deadline} of ${comparisons} comparisons were not answered in time`;
}
