// Owns scoring a list of (prompt, text) pairs for dialects that read scores by position: every one
// has its number, or the request fails.
import { counted } from "../../../core/faults/limit-advice.ts";
import { compileSpec } from "../../../core/signals/compiled-spec.ts";
import type { RouteDeps } from "../../http/deps.ts";
import type { AppContext } from "../../http/scope.ts";
import { invalidRequest } from "../../http/validation.ts";
import { type ClientWaits, contractDeadline } from "../deadlines.ts";
import { regroup } from "../flat/regrouping.ts";
import { beginJudging, refuseUnmet } from "../judged-request.ts";
import { noChoice, type Refusal, refused, regrouped } from "../refusal.ts";
import { type RankedDocuments, usageOf } from "./ranked-documents.ts";
import type { RankingOptions } from "./ranking-options.ts";
import { relevance } from "./relevance.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { requireChoice, Unjudged, unjudged } from "./unjudged.ts";

export interface TextPair {
  prompt: string;
  text: string;
}

interface PairsRequest {
  contract: ClientWaits;
  /** The texts' field in the dialect, for refusals. */
  field: string;
  pairs: readonly TextPair[];
  model: string | null;
  raw: boolean;
  options: RankingOptions;
}

/**
 * Scores in the order of the pairs; those with equal prompts are compared with each other.
 * @throws ApiError for faults of the request, `Unjudged` when any pair has no score (a list read by
 *   position has no place for a hole)
 */
export async function scorePairs(
  c: AppContext,
  deps: RouteDeps,
  { contract, field, pairs, model, raw, options }: PairsRequest,
): Promise<Pick<RankedDocuments, "usage" | "warnings"> & { scores: number[] }> {
  refuseLonely(pairs, field);
  const flat = pairs.map(({ prompt, text }) => ({ prompt, label: null, language: null, rollout: { text } }));
  const { groups, places } = regroup(flat, field);
  const texts = pairs.map(({ text }) => text);
  const spec = await chooseTextSpec(deps, c.get("scope"), options, model, texts);
  refuseUnmet(compileSpec(spec), field);
  const deadline_ms = contractDeadline(contract, options.deadline_ms);
  const { run_id, step } = options;
  const scored = await beginJudging(c, deps, { groups, spec, run_id, step, deadline_ms, interactive: true }).scored;
  const byGroup = scored.reply.groups.map(({ rollouts }, g) => {
    const scores = rollouts.map((rollout) => relevance(rollout, spec, rollouts.length, raw));
    if (scores.includes(null)) throw unjudged(scored, g);
    requireChoice(scored, g);
    return scores as number[];
  });
  const scores = places.map(({ group, member }) => byGroup[group]?.[member] as number);
  return { scores, usage: usageOf(scored.reply.groups), warnings: [...scored.reply.warnings, ...options.ignored] };
}

/**
 * Pairs of one or more left texts with right ones: one with each, or one to one. Throws
 * `invalid_request`.
 */
export function pairUp(
  left: readonly string[],
  right: readonly string[],
  names: readonly [string, string],
): TextPair[] {
  if (left.length !== 1 && left.length !== right.length) {
    const message = `${counted(left.length)} beside ${right.length} of ${names[1]}; 1, or as many`;
    throw invalidRequest([{ path: names[0], message }]);
  }
  return right.map((text, i) => ({ prompt: left[left.length === 1 ? 0 : i] as string, text }));
}

/** Refuses a pair that stands alone before anything is judged: nothing could be said of it. */
function refuseLonely(pairs: readonly TextPair[], field: string): void {
  const counts = new Map<string, number>();
  for (const { prompt } of pairs) counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
  const lonely = pairs.findIndex(({ prompt }) => counts.get(prompt) === 1);
  if (lonely < 0) return;
  const detail = `${field}[${lonely}] is the only text of its prompt; scores are relative, so a request needs at least 2 of each prompt.`;
  throw new Unjudged("group_too_small", detail);
}

/** For the document: what these contracts refuse. */
export const pairRefusals = (): Refusal[] => [
  refused("one length, or one", "queries|data_1|text_1|query", "^\\d+ elements? beside \\d+ of"),
  { why: "equal prompts", status: 400, code: "group_too_small", words: "the only text of its prompt" },
  regrouped(),
  noChoice(),
];
