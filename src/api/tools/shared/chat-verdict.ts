// Converts a scored comparison to a verdict in the format that a judge model would write.
import type { GroupResult } from "../../../core/contract/group-reply.ts";
import { LETTERS, type PromptForm } from "../../../core/judges/render.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { type Usage, usageOf } from "./judging.ts";
import { relevanceIn } from "./relevance.ts";
import { unjudged } from "./unjudged.ts";

export interface ChatVerdict {
  text: string;
  usage: Usage;
}

/**
 * The reply if the verifier made no choice. Contains no `\boxed`, so that no parser finds a verdict in it.
 */
const UNDECIDED = "The verifier's answers contain no choice. No verdict is given.";

const SCORE_MAX = 10;

/**
 * The verdict: `\boxed{X}` with the selected candidate, or `\boxed{[..]}` with a score from 0 to 10 for each
 * candidate, derived from its share of wins.
 * @throws Unjudged if any pair of the comparison failed, because a verdict on the rest would hide the failure
 */
export function verdictOf(scored: ScoredRequest, spec: Spec, form: PromptForm): ChatVerdict {
  const group = scored.reply.groups[0] as GroupResult;
  const usage = usageOf([group]);
  if (group.status !== "ok" && (group.verifier.failed > 0 || group.verifier.unparsed === 0)) throw unjudged(scored);
  if (group.status !== "ok" || group.selected === null) return { text: UNDECIDED, usage };
  if (form === "exact_match") return { text: `\\boxed{${LETTERS[group.selected]}}`, usage };
  const relevance = relevanceIn(spec, group.rollouts.length, false);
  const scores = group.rollouts.map((rollout) => Math.round(SCORE_MAX * (relevance(rollout) as number)));
  return { text: `\\boxed{[${scores.join(",")}]}`, usage };
}
