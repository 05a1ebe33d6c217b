// Owns the step from a checked request to a batch that is answered later: 202, where to ask, when
// to ask, and which address a Kritai-Webhook may name to be told of its end. Knows no storage and no
// delivery.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRequest, BatchRoute, Webhooks } from "../../objects/batches/view.ts";
import { isLoopback } from "../door/auth.ts";
import type { RouteDeps } from "../door/deps.ts";
import { listOfRun } from "../door/run-list.ts";
import type { AppContext } from "../door/scope.ts";
import { invalidRequest } from "../door/validation.ts";

interface Submission extends BatchRequest {
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

const WEBHOOK = "Kritai-Webhook";

/**
 * Where the batch's end is announced; null when nothing is asked for. Only hosts of the
 * deployment's own list are ever called.
 */
function webhookOf(c: AppContext, webhooks: Webhooks | undefined): string | null {
  const address = c.req.header(WEBHOOK);
  if (address === undefined) return null;
  if (webhooks === undefined) {
    const errors = ["WEBHOOK_HOSTS", "WEBHOOK_SECRET"].map((path) => ({ path, message: "required for webhooks" }));
    throw new ApiError("not_configured", "This deployment sends no webhooks.", { errors });
  }
  const fault = webhookFault(c, address, webhooks.hosts);
  if (fault !== null) throw invalidRequest([{ path: WEBHOOK, message: fault }]);
  return address;
}

function webhookFault(c: AppContext, address: string, hosts: readonly string[]): string | null {
  if (address.length > LIMITS.webhook_url_chars) return `longer than webhook_url_chars = ${LIMITS.webhook_url_chars}`;
  if (!URL.canParse(address)) return "not a URL";
  const url = new URL(address);
  const local = url.protocol === "http:" && isLoopback(new Request(url)) && isLoopback(c.req.raw);
  if (url.protocol !== "https:" && !local) return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must hold no user and no password";
  return hosts.includes(url.host) ? null : "its host is not among this deployment's WEBHOOK_HOSTS";
}
