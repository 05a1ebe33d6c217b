// Submits a validated request as a batch, and replies 202 with the URL to poll.

import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRequest, BatchRoute } from "../../objects/batches/view.ts";
import { requireStorage } from "../../objects/key-limits/refusal.ts";
import type { AppDeps } from "../door/deps.ts";
import { listOfRun } from "../door/run-list.ts";
import { type AppContext, keepAlive } from "../door/scope.ts";

interface Submission extends BatchRequest {
  route: BatchRoute;
  /** JSON data that the route needs to build the final reply. */
  shape?: unknown;
}

/** Creates a batch with the request's id, which is also the id of the batch's log entry. */
export async function submitBatch(
  c: AppContext,
  deps: AppDeps,
  { route, request, spec, shape = null }: Submission,
): Promise<Response> {
  const { id, key_name } = c.get("scope");
  await deps.batches.submit(id, { key_name, route, shape }, { request, spec });
  requireStorage(deps, key_name, (asking) => keepAlive(c, asking));
  c.get("scope").run_id = request.run_id ?? null;
  listOfRun(c, deps, { kind: "batches", name: id }, id, () => deps.batches.forget(id));
  c.set("batch_id", id);
  const headers = {
    location: `/v1/batches/${id}`,
    "retry-after": `${LIMITS.batch_poll_s}`,
    "preference-applied": "respond-async",
    "cache-control": "no-store",
  };
  return c.json({ batch_id: id, state: "queued", location: headers.location }, 202, headers);
}
