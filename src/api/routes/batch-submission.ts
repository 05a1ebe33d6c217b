// Owns the step from a checked request to a batch that is answered later: 202, where to ask, when
// to ask. Knows no storage.

import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRequest, BatchRoute } from "../../objects/batches/view.ts";
import type { RouteDeps } from "../http/deps.ts";
import type { AppContext } from "../http/scope.ts";
import { webhookOf } from "../http/webhook-url.ts";

export interface Submission extends BatchRequest {
  route: BatchRoute;
  /** What the route needs for the final reply; JSON. */
  shape?: unknown;
}

/**
 * Hands the request over to a batch of the request's own id, so that one log entry and one batch
 * come of it.
 */
export async function submitBatch(
  c: AppContext,
  deps: RouteDeps,
  { route, request, spec, shape = null }: Submission,
): Promise<Response> {
  const { id, key_name } = c.get("scope");
  const webhook = webhookOf(c, deps.webhooks);
  await deps.batches.submit(id, { key_name, route, shape, webhook }, { request, spec });
  c.set("batch_id", id);
  const headers = {
    location: `/v1/batches/${id}`,
    "retry-after": `${LIMITS.batch_poll_s}`,
    "preference-applied": "respond-async",
    "cache-control": "no-store",
  };
  return c.json({ batch_id: id, state: "queued", location: headers.location }, 202, headers);
}
