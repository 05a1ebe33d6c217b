// POST /v1/verdicts: rewards for training the verifier itself, without any model call.

import { canonicalJson } from "../../core/contract/canonical-json.ts";
import { withLogTexts } from "../../core/contract/kept-texts.ts";
import { VerdictsReplySchema } from "../../core/contract/verdicts-reply.ts";
import { type VerdictsRequest, VerdictsRequestSchema } from "../../core/contract/verdicts-request.ts";
import { itemsByPrompt } from "../../core/formulations/cases.ts";
import { type RewardedVerdicts, rewardVerdicts } from "../../core/formulations/rewards.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { appendEntry, type LogOutcome } from "../../scoring/log-append.ts";
import type { RequestScope } from "../../scoring/request-scope.ts";
import { verdictGroups } from "../../scoring/verdict-groups.ts";
import type { AppDeps } from "../door/deps.ts";
import { idempotent } from "../door/idempotent.ts";
import { negotiate } from "../door/negotiation.ts";
import { noQueryParameters } from "../door/parameters.ts";
import { jsonReply } from "../door/slow-json.ts";
import { listValidator } from "../door/validation.ts";
import { isPlainVerdictItem } from "./verdict-items.ts";
import { documented, WRITE } from "./words.ts";

const parse = listValidator(VerdictsRequestSchema, "items", isPlainVerdictItem);

export function verdicts(deps: AppDeps) {
  return idempotent(deps, async (c, body) => {
    noQueryParameters(c);
    negotiate(c.req.header("accept") ?? null, ["application/json"]);
    const scope = c.get("scope");
    const request = parse(body);
    const places = itemsByPrompt(request);
    const { right, ...scored } = rewardVerdicts(request);
    deps.metrics.add("kritai_rewards_total", scored.rewards.length, { kind: "verdicts" });
    const outcome = await logVerdicts(deps, scope, { request, places, scored: { ...scored, right } });
    return jsonReply(c, VerdictsReplySchema, { request_id: scope.id, ...scored, ...outcome });
  });
}

interface RewardedRequest {
  request: VerdictsRequest;
  /** Item indices grouped by prompt; null if the items have no prompts. */
  places: number[][] | null;
  scored: RewardedVerdicts;
}

/**
 * Logs a request that names its run. Logs its metrics, and also its groups if the items have prompts and
 * `log_texts` is set.
 */
async function logVerdicts(
  deps: AppDeps,
  scope: RequestScope,
  { request, places, scored }: RewardedRequest,
): Promise<LogOutcome> {
  if (request.run_id === undefined) return { logged: false, warnings: [] };
  const { formulation, options, overlong } = request;
  const deciding = { formulation, options, overlong };
  const { log_texts } = withLogTexts(request, deps);
  const stored =
    log_texts && places !== null ? await verdictGroups(request, places, scored) : { groups: [], warnings: [] };
  const total = deps.clock.now() - scope.started_ms;
  const { parse_rate, accuracy, reward_mean, reward_std } = scored.metrics;
  const outcome = await appendEntry(deps, scope, {
    request_id: scope.id,
    kind: "verdicts",
    run_id: request.run_id,
    step: request.step ?? null,
    key_name: scope.key_name,
    spec_hash: `sha256:${await sha256Hex(canonicalJson(deciding))}`,
    spec: canonicalJson({ ...deciding, log_texts }),
    created_at: deps.clock.date(),
    metrics: { parse_rate, tau_b_mean: null, tau_b_undefined: 0, list_acc: accuracy, reward_mean, reward_std },
    timing_ms: { total, verifier: 0, overhead: total },
    items: request.items.length,
    warnings: stored.warnings,
    groups: stored.groups,
  });
  return { ...outcome, warnings: [...stored.warnings, ...outcome.warnings] };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/verdicts": {
    operationId: "scoreVerdicts",
    tag: "Scoring",
    summary: "Computes rewards for training the verifier",
    description:
      "Parses verdict texts about candidates with known labels and returns their rewards; no model is called. Only requests with a `run_id` are logged; otherwise `logged` is false. If the items have prompts and `log_texts` is set, the answers to each prompt become a group of the run, which the export turns into training data.",
    request: VerdictsRequestSchema,
    said: "Rewarded.",
    reply: VerdictsReplySchema,
    faults: WRITE,
  },
}));
