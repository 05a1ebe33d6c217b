// Owns GET and DELETE /v1/batches/:id: a batch's state, progress and results. Knows no storage;
// each route's reply has its own shape.
import * as z from "zod";
import { GroupResultSchema, type RewardsReply, RewardsReplySchema } from "../../core/contract/replies.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRoute, BatchView } from "../../objects/batches/view.ts";
import { BATCH_STATES, isEnded } from "../../objects/batches/view.ts";
import { ULID_PATTERN } from "../../scoring/request-ids.ts";
import { type BatchShape, shapedReply, shapeSchema } from "../contracts/flat/score-batch.ts";
import type { RouteDeps } from "../http/deps.ts";
import { pathParameter, queryParameters, wholeNumber } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { answerJson, jsonReply } from "../http/slow-json.ts";

export const BatchIdSchema = z.string().regex(ULID_PATTERN, "must be a batch_id");
export const BatchQuerySchema = z.strictObject({
  wait: wholeNumber(0, "batch_wait_s_max").default(0).meta({
    description: "seconds to wait for the batch's end before answering",
  }),
});

const count = z.int().min(0);
const time = z.iso.datetime();

export const BatchReplySchema = z.object({
  batch_id: z.string(),
  state: z.enum(BATCH_STATES),
  created_at: time,
  deadline_at: time.meta({ description: "what is not decided by then is null with the code `deadline`" }),
  ended_at: time.nullable(),
  progress: z.object({
    comparisons_total: count.meta({ description: "asked for so far; schedules that adapt ask for more later" }),
    comparisons_done: count,
    groups_total: count,
    groups_done: count,
  }),
  results: z
    .array(GroupResultSchema.extend({ index: count }))
    .meta({ description: "the groups that are finished, while there is no reply" }),
  reply: z.record(z.string(), z.unknown()).nullable().meta({
    description: "exactly when `state` is done: what the same request without `respond-async` would have been answered",
  }),
  error: z
    .object({
      code: z.string(),
      detail: z.string(),
      errors: z.array(z.object({ path: z.string(), message: z.string() })),
    })
    .nullable()
    .meta({ description: "exactly when `state` is failed" }),
  webhook: z
    .object({ state: z.enum(["waiting", "delivered", "failed"]), attempts: count, last: z.string().nullable() })
    .nullable(),
});
export type BatchReply = z.output<typeof BatchReplySchema>;

/** Each route's final reply out of the native one. */
const TELL: Record<BatchRoute, (reply: RewardsReply, shape: unknown) => Record<string, unknown>> = {
  rewards: (reply) => reply,
  score_batch: (reply, shape) => shapedReply(reply, shape as BatchShape),
};

const SCHEMA: Record<BatchRoute, (shape: unknown) => z.core.$ZodType> = {
  rewards: () => RewardsReplySchema,
  score_batch: (shape) => shapeSchema(shape as BatchShape),
};

/** Of the view as it is told, the route's own reply with it. */
const schemaOf = ({ route, shape }: BatchView) => BatchReplySchema.extend({ reply: SCHEMA[route](shape) });

export function getBatch(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", BatchIdSchema);
    const { wait } = queryParameters(c, BatchQuerySchema);
    const { batches } = deps;
    const { key_name } = c.get("scope");
    // A poll that waits looks first, so that an unknown batch is a 404 whose status has not been
    // sent yet.
    const now = found(await batches.view(id, key_name, 0));
    if (wait === 0 || isEnded(now.state)) return told(c, now);
    const later = batches.view(id, key_name, wait * 1000).then((view) => ({ value: tell(found(view)) }));
    return answerJson(c, deps, later, schemaOf(now));
  };
}

export function deleteBatch({ batches }: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", BatchIdSchema);
    return told(c, found(await batches.cancel(id, c.get("scope").key_name)));
  };
}

function found(view: BatchView | null): BatchView {
  if (view !== null) return view;
  throw new ApiError("not_found", "This key has no batch of this id. Batches are forgotten 24 hours after their end.");
}

function told(c: AppContext, view: BatchView): Response {
  const pause = isEnded(view.state) ? undefined : { "retry-after": `${LIMITS.batch_poll_s}` };
  return jsonReply(c, schemaOf(view), tell(view), { "cache-control": "no-store", ...pause });
}

function tell({ route, shape, reply, ...view }: BatchView): BatchReply {
  return {
    ...view,
    created_at: iso(view.created_at),
    deadline_at: iso(view.deadline_at),
    ended_at: view.ended_at === null ? null : iso(view.ended_at),
    reply: reply === null ? null : TELL[route](reply, shape),
  };
}

const iso = (ms: number) => new Date(ms).toISOString();
