// GET /v1/batches, and GET and DELETE /v1/batches/:id: a batch's state, progress and results. The final reply
// has the format of the route that created the batch.

import * as z from "zod";
import { said } from "#said";
import { GroupResultSchema } from "../../core/contract/group-reply.ts";
import { type RewardsReply, RewardsReplySchema } from "../../core/contract/rewards-reply.ts";
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRoute, BatchView } from "../../objects/batches/view.ts";
import { BATCH_ROUTES, BATCH_STATES, isEnded } from "../../objects/batches/view.ts";
import { ULID_PATTERN } from "../../platform/request-ids.ts";
import type { AppDeps } from "../door/deps.ts";
import { pathParameter, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { answerJson, jsonReply } from "../door/slow-json.ts";
import { type BatchShape, shapedReply, shapeSchema } from "./score-batch-reply.ts";
import { documented, pathOf, READ } from "./words.ts";

const BatchIdSchema = z.string().regex(ULID_PATTERN, "must be a batch_id");
export const BatchQuerySchema = z.strictObject({
  wait: wholeNumber(0, "batch_wait_s_max")
    .default(0)
    .meta(said("seconds to wait for the batch to finish before the reply is sent")),
});

const count = z.int().min(0);
const time = z.iso.datetime();

export const BatchReplySchema = z.object({
  batch_id: z.string(),
  state: z.enum(BATCH_STATES),
  created_at: time,
  deadline_at: time.meta(said("rewards not decided by then are null with the code `deadline`")),
  ended_at: time.nullable(),
  progress: z.object({
    comparisons_total: count.meta(said("comparisons planned so far; adaptive schedules add more later")),
    comparisons_done: count,
    groups_total: count,
    groups_done: count,
  }),
  results: z.array(GroupResultSchema.extend({ index: count })).meta(said("finished groups, while `reply` is null")),
  reply: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta(
      said(
        "set if and only if `state` is `done`: the reply that the same request without `respond-async` would have received",
      ),
    ),
  error: z
    .object({
      code: z.string(),
      detail: z.string(),
      errors: z.array(z.object({ path: z.string(), message: z.string() })),
    })
    .nullable()
    .meta(said("set if and only if `state` is `failed`")),
});
const BatchBriefSchema = BatchReplySchema.pick({
  ...{ batch_id: true, state: true, created_at: true, deadline_at: true, ended_at: true, progress: true },
}).extend({ route: z.enum(BATCH_ROUTES) });

export const BatchesQuerySchema = z.strictObject({
  cursor: z
    .string()
    .regex(ULID_PATTERN, "must be an unchanged next_cursor that the same list returned")
    .nullable()
    .default(null)
    .meta(said("`next_cursor` of the previous page")),
  limit: wholeNumber(1, "batch_page_rows_max")
    .default(LIMITS.batch_page_rows)
    .meta(said(`maximum batches per page; default ${LIMITS.batch_page_rows}`)),
});

export const BatchPageSchema = z.object({
  batches: z.array(BatchBriefSchema).meta(said("batches of the calling key, newest first")),
  next_cursor: z.string().nullable().meta(said("pass it as `?cursor=` to get the next page; null on the last page")),
});

export type BatchReply = z.output<typeof BatchReplySchema>;

/** Functions that convert the native reply to a route's reply. */
const TELL: Record<BatchRoute, (reply: RewardsReply, shape: unknown) => Record<string, unknown>> = {
  rewards: (reply) => reply,
  score_batch: (reply, shape) => shapedReply(reply, shape as BatchShape),
};

const SCHEMA: Record<BatchRoute, (shape: unknown) => z.core.$ZodType> = {
  rewards: () => RewardsReplySchema,
  score_batch: (shape) => shapeSchema(shape as BatchShape),
};

/** The schema of a batch, including the reply of its route. */
const schemaOf = ({ route, shape }: BatchView) => BatchReplySchema.extend({ reply: SCHEMA[route](shape) });

export function getBatch(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", BatchIdSchema);
    const { wait } = queryParameters(c, BatchQuerySchema);
    const { batches } = deps;
    const { key_name } = c.get("scope");
    // Looks up the batch before waiting, because a reply that waits may have to send its status before a 404
    // could be determined.
    const now = found(await batches.view(id, key_name, 0));
    if (wait === 0 || isEnded(now.state)) return batchReply(c, now);
    const later = batches.view(id, key_name, wait * 1000).then((view) => ({ value: replyBody(found(view)) }));
    return answerJson(c, deps, later, schemaOf(now));
  };
}

export function batchList({ batches }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { cursor, limit } = queryParameters(c, BatchesQuerySchema);
    const { rows, next } = await batches.list(c.get("scope").key_name, cursor, limit);
    const page = rows.map((row) => ({ ...row, ...times(row) }));
    return c.json({ batches: page, next_cursor: next } satisfies z.output<typeof BatchPageSchema>);
  };
}

export function deleteBatch({ batches }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", BatchIdSchema);
    return batchReply(c, found(await batches.cancel(id, c.get("scope").key_name)));
  };
}

function found(view: BatchView | null): BatchView {
  if (view !== null) return view;
  throw new ApiError("not_found", "This key has no batch with this id. Batches are deleted 24 hours after they end.");
}

function batchReply(c: AppContext, view: BatchView): Response {
  const pause = isEnded(view.state) ? undefined : { "retry-after": `${LIMITS.batch_poll_s}` };
  return jsonReply(c, schemaOf(view), replyBody(view), { "cache-control": "no-store", ...pause });
}

function replyBody({ route, shape, reply, ...view }: BatchView): BatchReply {
  return {
    ...view,
    ...times(view),
    reply: reply === null ? null : TELL[route](reply, shape),
  };
}

const times = ({ created_at, deadline_at, ended_at }: Pick<BatchView, "created_at" | "deadline_at" | "ended_at">) => ({
  created_at: iso(created_at),
  deadline_at: iso(deadline_at),
  ended_at: ended_at === null ? null : iso(ended_at),
});

const iso = (ms: number) => new Date(ms).toISOString();

const keptHours = () => LIMITS.idempotency_kept_ms / 3_600_000;
const batchPath = () => pathOf("id", BatchIdSchema, "the `batch_id` of a 202");
const FAULTY = { 404: "This key has no batch with this id.", 503: "The batch cannot be reached at the moment." };

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/batches": {
    operationId: "listBatches",
    tag: "Scoring",
    summary: "Lists the key's batches, newest first",
    description: `Each batch is listed with its state and progress, until ${keptHours()} hours after its end. A page may have fewer than \`limit\` batches if some have been deleted.`,
    query: BatchesQuerySchema,
    said: "A page.",
    reply: BatchPageSchema,
    ...{ faults: [400, 401, 503], faulty: FAULTY },
  },
  "GET /v1/batches/:id": {
    operationId: "getBatch",
    tag: "Scoring",
    summary: "Returns a batch's state, progress and results",
    description: `Requests with \`Prefer: respond-async\` become batches. While a batch runs, \`results\` lists the finished groups; once the batch is done, \`reply\` is the reply that the request would have received without that header. A batch is visible only to the key that submitted it, until ${keptHours()} hours after its end.`,
    path: batchPath(),
    query: BatchQuerySchema,
    said: "The batch's current state.",
    reply: BatchReplySchema,
    ...{ faults: [400, ...READ], faulty: FAULTY },
  },
  "DELETE /v1/batches/:id": {
    operationId: "cancelBatch",
    tag: "Scoring",
    summary: "Cancels a batch and its verifier requests",
    description: "Finished groups stay readable. Cancelling a batch that has ended has no effect.",
    path: batchPath(),
    said: "The batch's state after the request.",
    reply: BatchReplySchema,
    ...{ faults: [400, ...READ], faulty: FAULTY },
  },
}));
