// POST /v1/rewards: accepts rollouts and returns rewards and win counts, as one document, as a stream, or
// later as a batch.

import * as z from "zod";
import type { GroupResult } from "../../core/contract/group-reply.ts";
import { RewardsEventSchema, RewardsReplySchema } from "../../core/contract/rewards-reply.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { RewardsRequestSchema } from "../../core/reward/requests.ts";
import { partyOf } from "../../scoring/party.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import { workInTurns } from "../../scoring/turns.ts";
import type { ContentPath } from "../content/pieces.ts";
import { type ContentPlace, requireShownBody } from "../content/shown-body.ts";
import type { AppDeps } from "../door/deps.ts";
import { idempotent, notingGaps } from "../door/idempotent.ts";
import { negotiate } from "../door/negotiation.ts";
import { noQueryParameters } from "../door/parameters.ts";
import { preferences } from "../door/prefer.ts";
import { retryAfterGaps } from "../door/retry-after.ts";
import { checkRewardsRequest } from "../door/rewards-rules.ts";
import { cancellation, keepAlive } from "../door/scope.ts";
import { answerJson } from "../door/slow-json.ts";
import { resolveSpec } from "../door/spec-lookup.ts";
import { listValidator } from "../door/validation.ts";
import { submitBatch } from "./batch-submission.ts";
import { liftImages } from "./request-images.ts";
import { streamRewards } from "./rewards-stream.ts";
import { documented, WRITE } from "./words.ts";

const parse = listValidator(RewardsRequestSchema, "groups");
/** Fields of the request that contain content. */
const CONTENT: readonly ContentPlace[] = [
  { at: "groups[].prompt", carrier: "prompt" },
  { at: "groups[]", carrier: "row" },
  { at: "groups[].rollouts[]", carrier: "rollout" },
  { at: "groups[].rollouts[]", carrier: "row" },
  { at: "groups[].rollouts[].text", carrier: "text" },
];
const NDJSON = "application/x-ndjson";

/** Request schema for batches. Their deadline may be longer, because they keep no connection open. */
const LaterSchema = RewardsRequestSchema.extend({
  deadline_ms: z
    .int()
    .min(LIMITS.deadline_ms_min)
    .max(LIMITS.batch_deadline_ms_max)
    .default(LIMITS.batch_deadline_ms_max),
});
const parseLater = listValidator(LaterSchema, "groups");

export function rewards(deps: AppDeps) {
  return idempotent(deps, async (c, body) => {
    noQueryParameters(c);
    const later = preferences(c).respond_async;
    const type = negotiate(c.req.header("accept") ?? null, later ? ["application/json"] : ["application/json", NDJSON]);
    const scope = c.get("scope");
    const images: ContentPath[] = [];
    requireShownBody(CONTENT, body, images);
    const request = later ? parseLater(body) : parse(body);
    checkRewardsRequest(request);
    const spec = await resolveSpec(deps, scope, request.spec);
    const until = scope.started_ms + request.deadline_ms;
    await liftImages(request, spec, images, workInTurns(partyOf(scope.key_name).tenant ?? "", deps.clock, until));
    if (later) return submitBatch(c, deps, { route: "rewards", request, spec });
    c.set("deadline_ms", request.deadline_ms);
    const cancel = cancellation(c);
    let retry_after_ms: number | null = null;
    const run = (onGroup?: (index: number, group: GroupResult) => void) => {
      const running = scoreAndLog(deps, scope, request, spec, cancel.signal, onGroup).then((scored) => {
        retry_after_ms = scored.retry_after_ms;
        return scored.reply;
      });
      keepAlive(c, running);
      return notingGaps(c, running);
    };
    if (type === NDJSON) {
      return streamRewards(deps.timers, run, () => cancel.abort("cancelled"), scope.id, request.groups.length);
    }
    return answerJson(
      c,
      deps,
      run().then((value) => ({ value, headers: retryAfterGaps(value, retry_after_ms) })),
      RewardsReplySchema,
    );
  });
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/rewards": {
    operationId: "scoreRewards",
    tag: "Scoring",
    summary: "Judges groups of rollouts and returns rewards and win counts",
    description: `Compares the rollouts of each group with the verifier and returns shaped rewards and win counts in input order. A reward that could not be decided is \`null\` with a code, never a number. At most ${LIMITS.rollouts_per_request_max} rollouts per request. With \`Accept: ${NDJSON}\` groups are streamed as they finish, with a heartbeat at least every 10 s and a final \`done\` line; an error after the first line is sent as an \`error\` line. A JSON reply that takes longer than ${LIMITS.heartbeat_ms / 1000} s begins with white space, which keeps the connection alive.`,
    request: RewardsRequestSchema,
    said: "Scored. Individual rewards may be null.",
    reply: RewardsReplySchema,
    lines: RewardsEventSchema,
    faults: WRITE,
  },
}));
