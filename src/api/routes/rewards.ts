// Owns POST /v1/rewards: rollouts in, rewards and win counts out, as one document, as a stream, or
// later as a batch. Scoring itself is scoring.ts.
import * as z from "zod";
import { type GroupResult, RewardsReplySchema } from "../../core/contract/replies.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { RewardsRequestSchema } from "../../core/signals/requests.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import { type ContentPlace, requireShownBody } from "../contracts/content/shown-body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { idempotent, notingGaps } from "../http/idempotent.ts";
import { negotiate } from "../http/negotiation.ts";
import { noQueryParameters } from "../http/parameters.ts";
import { preferences } from "../http/prefer.ts";
import { cancellation, keepAlive } from "../http/scope.ts";
import { answerJson } from "../http/slow-json.ts";
import { listValidator } from "../http/validation.ts";
import { submitBatch } from "./batch-submission.ts";
import { checkRewardsRequest } from "./rewards-rules.ts";
import { streamRewards } from "./rewards-stream.ts";
import { resolveSpec } from "./specs.ts";

const parse = listValidator(RewardsRequestSchema, "groups");
/** What is judged of a request. */
const CONTENT: readonly ContentPlace[] = [
  { at: "groups[].prompt", carrier: "prompt" },
  { at: "groups[]", carrier: "row" },
  { at: "groups[].rollouts[]", carrier: "rollout" },
  { at: "groups[].rollouts[].text", carrier: "text" },
];
const NDJSON = "application/x-ndjson";

/**
 * Nobody holds a connection open for a batch, so that it may take longer, and does unless it is
 * told otherwise.
 */
const LaterSchema = RewardsRequestSchema.extend({
  deadline_ms: z
    .int()
    .min(LIMITS.deadline_ms_min)
    .max(LIMITS.batch_deadline_ms_max)
    .default(LIMITS.batch_deadline_ms_max),
});
const parseLater = listValidator(LaterSchema, "groups");

export function rewards(deps: RouteDeps) {
  return idempotent(deps, async (c, body) => {
    noQueryParameters(c);
    const later = preferences(c).respond_async;
    const type = negotiate(c.req.header("accept") ?? null, later ? ["application/json"] : ["application/json", NDJSON]);
    const scope = c.get("scope");
    requireShownBody(CONTENT, body);
    const request = later ? parseLater(body) : parse(body);
    checkRewardsRequest(request);
    const spec = await resolveSpec(deps, scope, request.spec);
    if (later) return submitBatch(c, deps, { route: "rewards", request, spec });
    c.set("deadline_ms", request.deadline_ms);
    const cancel = cancellation(c);
    const run = (onGroup?: (index: number, group: GroupResult) => void) => {
      const running = scoreAndLog(deps, scope, request, spec, cancel.signal, onGroup).then(({ reply }) => reply);
      keepAlive(c, running);
      return notingGaps(c, running);
    };
    if (type === NDJSON) {
      return streamRewards(run, () => cancel.abort("cancelled"), scope.id, request.groups.length);
    }
    return answerJson(
      c,
      deps,
      run().then((value) => ({ value })),
      RewardsReplySchema,
    );
  });
}
