// Owns POST /v1/verdicts: rewards for training the verifier itself, without any model call.

import { type VerdictsReply, VerdictsReplySchema } from "../../core/contract/replies.ts";
import { type VerdictsRequest, VerdictsRequestSchema } from "../../core/contract/requests.ts";
import { canonicalJson } from "../../core/contract/spec.ts";
import { rewardVerdicts } from "../../core/formulations/rewards.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { appendEntry, type LogOutcome } from "../../scoring/log-append.ts";
import type { RequestScope } from "../../scoring/request-scope.ts";
import type { RouteDeps } from "../door/deps.ts";
import { idempotent } from "../door/idempotent.ts";
import { negotiate } from "../door/negotiation.ts";
import { noQueryParameters } from "../door/parameters.ts";
import { jsonReply } from "../door/slow-json.ts";
import { listValidator } from "../door/validation.ts";
import { isPlainVerdictItem } from "./verdict-items.ts";
import { documented, WRITE } from "./words.ts";

const parse = listValidator(VerdictsRequestSchema, "items", isPlainVerdictItem);

export function verdicts(deps: RouteDeps) {
  return idempotent(deps, async (c, body) => {
    noQueryParameters(c);
    negotiate(c.req.header("accept") ?? null, ["application/json"]);
    const scope = c.get("scope");
    const request = parse(body);
    const scored = rewardVerdicts(request);
    deps.metrics.add("kritai_rewards_total", scored.rewards.length, { kind: "verdicts" });
    const outcome = await logVerdicts(deps, scope, request, scored.metrics);
    return jsonReply(c, VerdictsReplySchema, { request_id: scope.id, ...scored, ...outcome });
  });
}

/**
 * Only a request that belongs to a run is logged, by its metrics: items are too many, and their
 * texts are not ours to keep.
 */
async function logVerdicts(
  deps: RouteDeps,
  scope: RequestScope,
  request: VerdictsRequest,
  metrics: VerdictsReply["metrics"],
): Promise<LogOutcome> {
  if (request.run_id === undefined) return { logged: false, warnings: [] };
  const { formulation, options, overlong } = request;
  const spec = canonicalJson({ formulation, options, overlong });
  const total = deps.clock.now() - scope.started_ms;
  const { parse_rate, accuracy, reward_mean, reward_std } = metrics;
  return appendEntry(deps, scope, {
    request_id: scope.id,
    kind: "verdicts",
    run_id: request.run_id,
    step: request.step ?? null,
    key_name: scope.key_name,
    spec_hash: `sha256:${await sha256Hex(spec)}`,
    spec,
    created_at: deps.clock.date(),
    metrics: { parse_rate, tau_b_mean: null, tau_b_undefined: 0, list_acc: accuracy, reward_mean, reward_std },
    timing_ms: { total, verifier: 0, overhead: total },
    items: request.items.length,
    warnings: [],
    groups: [],
  });
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/verdicts": {
    operationId: "scoreVerdicts",
    tag: "Scoring",
    summary: "Rewards for training the verifier itself",
    description:
      "Parses and rewards verdict texts for known lists; no model is called. Only a request with a `run_id` is logged, by its metrics: `logged` is false without one. Texts are never stored.",
    request: VerdictsRequestSchema,
    said: "Rewarded.",
    reply: VerdictsReplySchema,
    faults: WRITE,
  },
}));
