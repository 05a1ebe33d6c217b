// Owns the Kritai-Webhook header: which addresses a request may name. Knows no delivery.

import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Webhooks } from "../../objects/batches/view.ts";
import { isLoopback } from "../access/auth.ts";
import type { AppContext } from "./scope.ts";
import { invalidRequest } from "./validation.ts";

const WEBHOOK = "Kritai-Webhook";

/**
 * Where the batch's end is announced; null when nothing is asked for. Only hosts of the
 * deployment's own list are ever called.
 */
export function webhookOf(c: AppContext, webhooks: Webhooks | undefined): string | null {
  const said = c.req.header(WEBHOOK);
  if (said === undefined) return null;
  if (webhooks === undefined) {
    const errors = ["WEBHOOK_HOSTS", "WEBHOOK_SECRET"].map((path) => ({ path, message: "required for webhooks" }));
    throw new ApiError("not_configured", "This deployment sends no webhooks.", { errors });
  }
  const fault = webhookFault(c, said, webhooks.hosts);
  if (fault !== null) throw invalidRequest([{ path: WEBHOOK, message: fault }]);
  return said;
}

function webhookFault(c: AppContext, said: string, hosts: readonly string[]): string | null {
  if (said.length > LIMITS.webhook_url_chars) return `longer than webhook_url_chars = ${LIMITS.webhook_url_chars}`;
  if (!URL.canParse(said)) return "not a URL";
  const url = new URL(said);
  const local = url.protocol === "http:" && isLoopback(new Request(url)) && isLoopback(c.req.raw);
  if (url.protocol !== "https:" && !local) return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must hold no user and no password";
  return hosts.includes(url.host) ? null : "its host is not among this deployment's WEBHOOK_HOSTS";
}
